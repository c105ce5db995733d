package org.vramkit.cuda;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.cuda.driver.ContextCalls;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.sim.SimDevice;

/** The primary contexts of devices, with their users, and the current context of each thread. */
final class SimulatedContexts extends SimulatedCalls implements ContextCalls {
  /** Number of users of each device's primary context. Guarded by itself. */
  final int[] retained;

  private final List<Handle> contexts = new ArrayList<>();

  SimulatedContexts(SimulatedProcess process) {
    super(process);
    this.retained = new int[sim.getDevices().size()];
    for (int ordinal = 0; ordinal < retained.length; ordinal++) {
      contexts.add(new SimulatedProcess.Context(ordinal));
    }
  }

  @Override
  public int cuDevicePrimaryCtxRetain(Handle[] context, int ordinal) {
    synchronized (retained) {
      retained[ordinal]++;
    }
    context[0] = contexts.get(ordinal);
    return CudaResult.SUCCESS;
  }

  @Override
  public int cuDevicePrimaryCtxRelease(int ordinal) {
    synchronized (retained) {
      retained[ordinal]--;
    }
    return CudaResult.SUCCESS;
  }

  @Override
  public int cuCtxGetCurrent(Handle[] context) {
    context[0] = process.current();
    return CudaResult.SUCCESS;
  }

  @Override
  public int cuCtxSetCurrent(Handle context) {
    process.makeCurrent(context);
    return CudaResult.SUCCESS;
  }

  @Override
  public int cuCtxSynchronize() {
    return here(() -> device().synchronize());
  }

  @Override
  public int cuCtxEnablePeerAccess(Handle peer) {
    return here(() -> device().getPeerAccess().enable(deviceOf(peer)));
  }

  @Override
  public int cuCtxDisablePeerAccess(Handle peer) {
    return here(() -> device().getPeerAccess().disable(deviceOf(peer)));
  }

  private SimDevice deviceOf(Handle context) {
    return sim.getDevice(((SimulatedProcess.Context) context).ordinal());
  }
}
