package org.vramkit.jcuda;

import static org.vramkit.jcuda.JCudaHandle.executable;
import static org.vramkit.jcuda.JCudaHandle.graph;
import static org.vramkit.jcuda.JCudaHandle.stream;

import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.JCudaDriver;
import org.vramkit.cuda.driver.GraphCalls;
import org.vramkit.cuda.driver.Handle;

/** Capture and graph calls. */
final class JCudaGraphs implements GraphCalls {

  @Override
  public int cuStreamBeginCapture(Handle stream, int mode) {
    return Results.of(() -> JCudaDriver.cuStreamBeginCapture(stream(stream), mode));
  }

  @Override
  public int cuStreamEndCapture(Handle stream, Handle[] graph) {
    CUgraph made = new CUgraph();
    int result = Results.of(() -> JCudaDriver.cuStreamEndCapture(stream(stream), made));
    graph[0] = new JCudaHandle(made);
    return result;
  }

  @Override
  public int cuStreamIsCapturing(Handle stream, int[] status) {
    return Results.of(() -> JCudaDriver.cuStreamIsCapturing(stream(stream), status));
  }

  @Override
  public int cuThreadExchangeStreamCaptureMode(int[] mode) {
    return Results.of(() -> JCudaDriver.cuThreadExchangeStreamCaptureMode(mode));
  }

  /** Instantiates a graph; JCuda's function of this name calls the driver's one with flags. */
  @Override
  public int cuGraphInstantiate(Handle[] executable, Handle graph) {
    CUgraphExec made = new CUgraphExec();
    int result = Results.of(() -> JCudaDriver.cuGraphInstantiate(made, graph(graph), 0));
    executable[0] = new JCudaHandle(made);
    return result;
  }

  @Override
  public int cuGraphLaunch(Handle executable, Handle stream) {
    return Results.of(() -> JCudaDriver.cuGraphLaunch(executable(executable), stream(stream)));
  }

  @Override
  public int cuGraphExecDestroy(Handle executable) {
    return Results.of(() -> JCudaDriver.cuGraphExecDestroy(executable(executable)));
  }

  @Override
  public int cuGraphDestroy(Handle graph) {
    return Results.of(() -> JCudaDriver.cuGraphDestroy(graph(graph)));
  }
}
