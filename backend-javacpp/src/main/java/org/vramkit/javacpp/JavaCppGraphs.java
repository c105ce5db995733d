package org.vramkit.javacpp;

import static org.vramkit.javacpp.JavaCppHandle.executable;
import static org.vramkit.javacpp.JavaCppHandle.graph;
import static org.vramkit.javacpp.JavaCppHandle.stream;

import org.bytedeco.cuda.cudart.CUgraphExec_st;
import org.bytedeco.cuda.cudart.CUgraph_st;
import org.bytedeco.cuda.global.cudart;
import org.vramkit.cuda.driver.GraphCalls;
import org.vramkit.cuda.driver.Handle;

/** Capture and graph calls. */
final class JavaCppGraphs implements GraphCalls {

  @Override
  public int cuStreamBeginCapture(Handle stream, int mode) {
    return cudart.cuStreamBeginCapture(stream(stream), mode);
  }

  @Override
  public int cuStreamEndCapture(Handle stream, Handle[] graph) {
    CUgraph_st made = new CUgraph_st();
    int result = cudart.cuStreamEndCapture(stream(stream), made);
    graph[0] = new JavaCppHandle(made);
    return result;
  }

  @Override
  public int cuStreamIsCapturing(Handle stream, int[] status) {
    return cudart.cuStreamIsCapturing(stream(stream), status);
  }

  @Override
  public int cuThreadExchangeStreamCaptureMode(int[] mode) {
    return cudart.cuThreadExchangeStreamCaptureMode(mode);
  }

  /** Instantiates a graph; the presets' function of this name takes flags. */
  @Override
  public int cuGraphInstantiate(Handle[] executable, Handle graph) {
    CUgraphExec_st made = new CUgraphExec_st();
    int result = cudart.cuGraphInstantiate(made, graph(graph), 0);
    executable[0] = new JavaCppHandle(made);
    return result;
  }

  @Override
  public int cuGraphLaunch(Handle executable, Handle stream) {
    return cudart.cuGraphLaunch(executable(executable), stream(stream));
  }

  @Override
  public int cuGraphExecDestroy(Handle executable) {
    return cudart.cuGraphExecDestroy(executable(executable));
  }

  @Override
  public int cuGraphDestroy(Handle graph) {
    return cudart.cuGraphDestroy(graph(graph));
  }
}
