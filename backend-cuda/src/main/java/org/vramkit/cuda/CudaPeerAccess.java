package org.vramkit.cuda;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.PeerAccess;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.driver.ContextCalls;
import org.vramkit.cuda.driver.CudaResult;

/**
 * Access to plain memory of other devices. Memory mapped as pages has its own: {@link
 * CudaVirtualMemory#setAccess}.
 */
final class CudaPeerAccess implements PeerAccess {
  private final CudaDevice device;

  CudaPeerAccess(CudaDevice device) {
    this.device = device;
  }

  @Override
  public boolean canAccess(Device other) {
    CudaDevice peer = peer(other);
    int[] can = new int[1];
    device.errors.run(
        "cuDeviceCanAccessPeer",
        () -> "cannot tell whether " + device + " reaches " + peer,
        () ->
            device
                .driver
                .devices()
                .cuDeviceCanAccessPeer(can, device.getOrdinal(), peer.getOrdinal()));
    return can[0] != 0;
  }

  @Override
  public void enable(Device other) {
    CudaDevice peer = distinctPeer(other);
    ContextCalls calls = device.driver.contexts();
    int result =
        device.context.askWith(peer.context, "cuCtxEnablePeerAccess", calls::cuCtxEnablePeerAccess);
    if (result != CudaResult.SUCCESS && result != CudaResult.PEER_ACCESS_ALREADY_ENABLED) {
      throw device.errors.error(
          "cuCtxEnablePeerAccess", result, device + " cannot access the memory of " + peer);
    }
  }

  @Override
  public void disable(Device other) {
    CudaDevice peer = distinctPeer(other);
    ContextCalls calls = device.driver.contexts();
    int result =
        device.context.askWith(
            peer.context, "cuCtxDisablePeerAccess", calls::cuCtxDisablePeerAccess);
    if (result != CudaResult.SUCCESS && result != CudaResult.PEER_ACCESS_NOT_ENABLED) {
      throw device.errors.error(
          "cuCtxDisablePeerAccess", result, device + " cannot leave the memory of " + peer);
    }
  }

  private CudaDevice distinctPeer(Device other) {
    if (other == device) {
      throw new InvalidArgumentException("a device is no peer of itself: " + device);
    }
    return peer(other);
  }

  private CudaDevice peer(Device other) {
    if (other instanceof CudaDevice peer && peer.getBackend() == device.getBackend()) {
      return peer;
    }
    throw new InvalidArgumentException(other + " is a device of another backend");
  }
}
