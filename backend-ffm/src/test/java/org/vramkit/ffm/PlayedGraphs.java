package org.vramkit.ffm;

import static org.vramkit.ffm.Pointers.getInt;
import static org.vramkit.ffm.Pointers.told;

import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.Handle;

/** Capture and graphs. */
@SuppressWarnings("UnusedMethod") // called by native code
final class PlayedGraphs {
  private final CudaDriver driver;
  private final PlayedHandles streams;
  private final PlayedHandles graphs = new PlayedHandles();

  PlayedGraphs(CudaDriver driver, PlayedHandles streams) {
    this.driver = driver;
    this.streams = streams;
  }

  @Since(value = 10010, exported = "cuStreamBeginCapture_v2")
  int cuStreamBeginCapture(long stream, int mode) {
    return driver.graphs().cuStreamBeginCapture(streams.known(stream), mode);
  }

  @Since(10000)
  int cuStreamEndCapture(long stream, long graph) {
    Handle[] made = new Handle[1];
    return graphs.told(
        driver.graphs().cuStreamEndCapture(streams.known(stream), made), made, graph);
  }

  @Since(10000)
  int cuStreamIsCapturing(long stream, long status) {
    int[] found = new int[1];
    return told(driver.graphs().cuStreamIsCapturing(streams.known(stream), found), found, status);
  }

  @Since(10010)
  int cuThreadExchangeStreamCaptureMode(long mode) {
    int[] exchanged = {getInt(mode)};
    return told(driver.graphs().cuThreadExchangeStreamCaptureMode(exchanged), exchanged, mode);
  }

  @Since(11040)
  int cuGraphInstantiateWithFlags(long executable, long graph, long flags) {
    if (flags != 0) {
      return CudaResult.INVALID_VALUE;
    }
    Handle[] made = new Handle[1];
    int result = driver.graphs().cuGraphInstantiate(made, graphs.known(graph));
    return graphs.told(result, made, executable);
  }

  @Since(10000)
  int cuGraphLaunch(long executable, long stream) {
    return driver.graphs().cuGraphLaunch(graphs.known(executable), streams.known(stream));
  }

  @Since(10000)
  int cuGraphExecDestroy(long executable) {
    return driver.graphs().cuGraphExecDestroy(graphs.known(executable));
  }

  @Since(10000)
  int cuGraphDestroy(long graph) {
    return driver.graphs().cuGraphDestroy(graphs.known(graph));
  }
}
