package org.vramkit.ffm;

import java.util.Arrays;
import org.vramkit.cuda.driver.ContextCalls;
import org.vramkit.cuda.driver.Handle;

/** Context calls. */
final class FfmContexts implements ContextCalls {
  /** Maximum number of cached handles, more than a process usually has devices. */
  private static final int MOST_KNOWN = 64;

  /** {@code CUresult cuDevicePrimaryCtxRetain(CUcontext* pctx, CUdevice dev)}. */
  private final Call.LI devicePrimaryCtxRetain;

  /** {@code CUresult cuDevicePrimaryCtxRelease(CUdevice dev)}. */
  private final Call.I devicePrimaryCtxRelease;

  /** {@code CUresult cuCtxGetCurrent(CUcontext* pctx)}. */
  private final Call.Question ctxGetCurrent;

  /** {@code CUresult cuCtxSetCurrent(CUcontext ctx)}. */
  private final Call.L ctxSetCurrent;

  /** {@code CUresult cuCtxSynchronize(void)}; from CUDA 13.0 on there is one with a parameter. */
  private final Call.None ctxSynchronize;

  /** {@code CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)}. */
  private final Call.LI ctxEnablePeerAccess;

  /** {@code CUresult cuCtxDisablePeerAccess(CUcontext peerContext)}. */
  private final Call.L ctxDisablePeerAccess;

  /**
   * Cached handles of contexts that were current, because every call queries the current context
   * and must not allocate. Copied on write; of two concurrent additions one may be lost and is
   * repeated later.
   */
  private volatile FfmHandle[] known = {};

  FfmContexts(DriverFunctions functions) {
    devicePrimaryCtxRetain = new Call.LI(functions.find("cuDevicePrimaryCtxRetain", 7000));
    devicePrimaryCtxRelease =
        new Call.I(
            functions.find("cuDevicePrimaryCtxRelease", 11000, "cuDevicePrimaryCtxRelease_v2"));
    ctxGetCurrent =
        new Call.Question(functions.find("cuCtxGetCurrent", 4000), functions.areCritical());
    ctxSetCurrent = new Call.L(functions.find("cuCtxSetCurrent", 4000));
    ctxSynchronize = new Call.None(functions.find("cuCtxSynchronize", 2000));
    ctxEnablePeerAccess = new Call.LI(functions.find("cuCtxEnablePeerAccess", 4000));
    ctxDisablePeerAccess = new Call.L(functions.find("cuCtxDisablePeerAccess", 4000));
  }

  @Override
  public int cuDevicePrimaryCtxRetain(Handle[] context, int ordinal) {
    long cell = Cells.take();
    try {
      int result = devicePrimaryCtxRetain.call(cell, ordinal);
      context[0] = handle(Cells.getLong(cell));
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuDevicePrimaryCtxRelease(int ordinal) {
    return devicePrimaryCtxRelease.call(ordinal);
  }

  @Override
  public int cuCtxGetCurrent(Handle[] context) {
    long cell = Cells.take();
    try {
      int result = ctxGetCurrent.call(cell);
      context[0] = handle(Cells.getLong(cell));
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  private FfmHandle handle(long address) {
    for (FfmHandle each : known) {
      if (each.getAddress() == address) {
        return each;
      }
    }
    return address == 0 ? FfmHandle.NONE : add(new FfmHandle(address));
  }

  private FfmHandle add(FfmHandle made) {
    FfmHandle[] before = known;
    if (before.length < MOST_KNOWN) {
      FfmHandle[] more = Arrays.copyOf(before, before.length + 1);
      more[before.length] = made;
      known = more;
    }
    return made;
  }

  @Override
  public int cuCtxSetCurrent(Handle context) {
    return ctxSetCurrent.call(context.getAddress());
  }

  @Override
  public int cuCtxSynchronize() {
    return ctxSynchronize.call();
  }

  @Override
  public int cuCtxEnablePeerAccess(Handle peer) {
    return ctxEnablePeerAccess.call(peer.getAddress(), 0);
  }

  @Override
  public int cuCtxDisablePeerAccess(Handle peer) {
    return ctxDisablePeerAccess.call(peer.getAddress());
  }
}
