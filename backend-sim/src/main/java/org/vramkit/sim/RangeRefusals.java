package org.vramkit.sim;

import org.jspecify.annotations.Nullable;
import org.vramkit.sim.WorkAccesses.Range;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.memory.AddressSpace.Region;
import org.vramkit.sim.memory.AddressSpace.RegionKind;
import org.vramkit.sim.memory.VirtualRange;

/**
 * The ranges of fills and copies that the driver refuses when it is called: those that are not
 * inside one block, or that the device may not access. It does not look at the ranges of kernels.
 */
final class RangeRefusals {
  private RangeRefusals() {}

  /**
   * Returns why a range is refused to a stream of a device; null if it is not. A copy reaches plain
   * memory of another device without peer access, a fill does not.
   */
  static @Nullable String reason(DeviceCore device, Range range, boolean copies) {
    Engine engine = device.engine;
    Region region = engine.space.live(range.address());
    if (region == null) {
      return "no live memory is at %s".formatted(range);
    }
    long end = range.address() + range.bytes();
    if (region.pages() != null) {
      VirtualRange mapped = new VirtualRange(engine.space, range.address(), range.bytes());
      return mapped.firstInaccessible(device.ordinal) < end
          ? "%s is not all mapped and open to %s".formatted(range, device)
          : null;
    }
    if (end > region.getEnd()) {
      return "%s extends beyond the %s".formatted(range, region);
    }
    return isOpen(device, region, copies)
        ? null
        : "%s may not access the %s of device %s".formatted(device, region, region.device());
  }

  /**
   * Returns how a fill or copy fails whose access has ended since the call: another fault for freed
   * memory than for access that was taken away; null if it does not fail.
   */
  static @Nullable Fault fault(DeviceCore device, Range range, boolean copies) {
    Region region = device.engine.space.containing(range.address());
    if (region == null) {
      return Fault.FATAL;
    }
    boolean accessible =
        region.pages() == null
            ? isOpen(device, region, copies)
            : new VirtualRange(device.engine.space, range.address(), range.bytes())
                    .firstInaccessible(device.ordinal)
                >= range.address() + range.bytes();
    return accessible ? null : Fault.LAUNCH_FAILED;
  }

  private static boolean isOpen(DeviceCore device, Region region, boolean copies) {
    if (region.device() == device.ordinal || region.kind().isShared()) {
      return true;
    }
    return region.kind() == RegionKind.POOL
        ? region.isOpenTo(device.ordinal)
        : copies || device.peers.contains(region.device());
  }
}
