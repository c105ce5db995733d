package org.vramkit.cuda.driver;

/** The graph calls of a binding without graphs; all return {@link CudaDriver#UNSUPPORTED}. */
final class AbsentGraphs implements GraphCalls {

  @Override
  public int cuStreamBeginCapture(Handle stream, int mode) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuStreamEndCapture(Handle stream, Handle[] graph) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuStreamIsCapturing(Handle stream, int[] status) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuThreadExchangeStreamCaptureMode(int[] mode) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuGraphInstantiate(Handle[] executable, Handle graph) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuGraphLaunch(Handle executable, Handle stream) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuGraphExecDestroy(Handle executable) {
    return CudaDriver.UNSUPPORTED;
  }

  @Override
  public int cuGraphDestroy(Handle graph) {
    return CudaDriver.UNSUPPORTED;
  }
}
