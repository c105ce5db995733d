package org.vramkit.sim;

import java.util.Objects;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.PeerAccess;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.memory.AddressSpace.Region;

/** Access to the memory of other simulated devices. */
final class SimPeerAccess implements PeerAccess {
  private final DeviceCore device;

  SimPeerAccess(DeviceCore device) {
    this.device = device;
  }

  @Override
  public boolean canAccess(Device other) {
    Objects.requireNonNull(other, "other");
    return device.recording.unrecorded(
        () -> {
          device.requireOfBackend(other);
          device.engine.call(DriverFunction.DEVICE_CAN_ACCESS_PEER, device.ordinal, 0);
          return other != device.device
              && device.device.supports(Capability.PEER_ACCESS)
              && other.supports(Capability.PEER_ACCESS);
        });
  }

  @Override
  public void enable(Device other) {
    Objects.requireNonNull(other, "other");
    device.recording.perform(
        "enable-peer",
        step -> device.on(step).value(other.getOrdinal()),
        () -> {
          device.requireOfBackend(other);
          requireDistinct(other);
          if (!other.supports(Capability.PEER_ACCESS)) {
            throw new NotSupportedException(
                "device " + other.getOrdinal() + " cannot be accessed by peers");
          }
          DriverFunction function = DriverFunction.CTX_ENABLE_PEER_ACCESS;
          device.engine.call(function, device.ordinal, 0);
          if (!device.peers.contains(other.getOrdinal())) {
            device.streams.finishAll(function, device.waitsCount());
            device.peers.add(other.getOrdinal());
            costsForBlocks(function, other);
          }
        });
  }

  private void costsForBlocks(DriverFunction function, Device other) {
    long blocks = device.all.get(other.getOrdinal()).blocks.getLargeBlocks();
    device.engine.costsMore(blocks * device.engine.costs.getOtherDeviceNanos(function));
  }

  private void requireDistinct(Device other) {
    if (other == device.device) {
      throw new InvalidArgumentException("a device cannot be its own peer: " + other);
    }
  }

  @Override
  public void disable(Device other) {
    Objects.requireNonNull(other, "other");
    device.recording.perform(
        "disable-peer",
        step -> device.on(step).value(other.getOrdinal()),
        () -> {
          device.requireOfBackend(other);
          requireDistinct(other);
          DriverFunction function = DriverFunction.CTX_DISABLE_PEER_ACCESS;
          device.engine.call(function, device.ordinal, 0);
          if (device.peers.remove(other.getOrdinal())) {
            costsForBlocks(function, other);
            device.engine.checker.memory.closed(
                device.ordinal, address -> isPlain(address, other.getOrdinal()));
          }
        });
  }

  /** Returns whether peer access opens the memory at an address of a device. */
  private boolean isPlain(long address, int owner) {
    Region region = device.engine.space.containing(address);
    return region != null && region.device() == owner && RangeRefusals.isOpenedByPeerAccess(region);
  }
}
