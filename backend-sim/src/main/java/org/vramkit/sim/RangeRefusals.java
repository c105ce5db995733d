package org.vramkit.sim;

import java.util.Set;
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
    String unknown = unknown(region, range);
    if (unknown != null || region == null) {
      return unknown;
    }
    if (region.pages() != null) {
      long end = range.address() + range.bytes();
      VirtualRange mapped = new VirtualRange(engine.space, range.address(), range.bytes());
      return mapped.firstInaccessible(device.ordinal) < end
          ? "%s is not all mapped and open to %s".formatted(range, device)
          : null;
    }
    return isOpen(device, region, copies)
        ? null
        : "%s may not access the %s of device %s".formatted(device, region, region.device());
  }

  /** Returns why the driver knows no memory of a range; null if it does. */
  static @Nullable String unknown(DeviceCore device, Range range) {
    return unknown(device.engine.space.live(range.address()), range);
  }

  private static @Nullable String unknown(@Nullable Region region, Range range) {
    if (region == null) {
      return "no live memory is at %s".formatted(range);
    }
    return region.pages() == null && range.address() + range.bytes() > region.getEnd()
        ? "%s extends beyond the %s".formatted(range, region)
        : null;
  }

  /**
   * Returns how a fill or copy fails whose access has ended since the call: another fault for
   * memory of another device than for freed memory and for its own; null if it does not fail.
   *
   * @param peers the devices whose plain memory it accesses as that of peers
   */
  static @Nullable Fault fault(DeviceCore device, Range range, Set<Integer> peers) {
    Region region = device.engine.space.containing(range.address());
    if (region == null || !holds(region, range)) {
      return Fault.FATAL;
    }
    if (isAccessible(device, region, range, !peers.contains(region.device()))) {
      return null;
    }
    return region.device() == device.ordinal ? Fault.FATAL : Fault.LAUNCH_FAILED;
  }

  /** Returns how a kernel fails that accesses a range; null if it does not fail. */
  static @Nullable Fault faultOfKernel(DeviceCore device, Range range) {
    Region region = device.engine.space.containing(range.address());
    boolean legal =
        range.bytes() == 0
            || (region != null
                && holds(region, range)
                && isAccessible(device, region, range, false));
    return legal ? null : Fault.FATAL;
  }

  private static boolean holds(Region region, Range range) {
    return region.pages() != null || range.bytes() <= region.getEnd() - range.address();
  }

  private static boolean isAccessible(
      DeviceCore device, Region region, Range range, boolean copies) {
    return region.pages() == null
        ? isOpen(device, region, copies)
        : new VirtualRange(device.engine.space, range.address(), range.bytes())
                .firstInaccessible(device.ordinal)
            >= range.address() + range.bytes();
  }

  private static boolean isOpen(DeviceCore device, Region region, boolean copies) {
    if (region.device() == device.ordinal || region.kind().isShared()) {
      return true;
    }
    return region.kind() == RegionKind.POOL
        ? region.isOpenTo(device.ordinal)
        : copies || device.peers.contains(region.device());
  }

  /** Returns whether peer access opens the memory of a region to another device. */
  static boolean isOpenedByPeerAccess(Region region) {
    return region.pages() == null && region.kind() != RegionKind.POOL;
  }
}
