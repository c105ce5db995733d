package org.vramkit.cuda;

import java.util.function.ToIntFunction;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.PeerAccess;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.Handle;

/**
 * Access to plain memory of other devices. For mapped memory see {@link
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
        () -> "cannot query whether " + device + " can access " + peer,
        () ->
            device
                .driver
                .devices()
                .cuDeviceCanAccessPeer(can, device.getOrdinal(), peer.getOrdinal()));
    return can[0] != 0;
  }

  @Override
  public void enable(Device other) {
    change(
        distinctPeer(other),
        "cuCtxEnablePeerAccess",
        device.driver.contexts()::cuCtxEnablePeerAccess,
        CudaResult.PEER_ACCESS_ALREADY_ENABLED,
        " cannot access the memory of ");
  }

  @Override
  public void disable(Device other) {
    change(
        distinctPeer(other),
        "cuCtxDisablePeerAccess",
        device.driver.contexts()::cuCtxDisablePeerAccess,
        CudaResult.PEER_ACCESS_NOT_ENABLED,
        " cannot disable access to the memory of ");
  }

  /** Makes a call whose result {@code already} also counts as success. */
  private void change(
      CudaDevice peer, String call, ToIntFunction<Handle> body, int already, String cannot) {
    int result = device.context.callWithPeer(peer.context, call, body);
    device.errors.succeeded(call, already, () -> device + cannot + peer, result);
  }

  private CudaDevice distinctPeer(Device other) {
    if (other == device) {
      throw new InvalidArgumentException("a device cannot be its own peer: " + device);
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
