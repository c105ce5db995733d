package org.vramkit.cuda.driver;

/** Of a binding that lacks graphs: every call says so. */
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
