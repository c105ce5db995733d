package org.vramkit.sim;

import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.WorkAccesses.Range;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.memory.AddressSpace;
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
    return fault(device, range, region -> !peers.contains(region.device()), Fault.LAUNCH_FAILED);
  }

  /** Returns how a kernel fails that accesses a range; null if it does not fail. */
  static @Nullable Fault faultOfKernel(DeviceCore device, Range range) {
    return fault(device, range, region -> false, Fault.FATAL);
  }

  /**
   * Returns how an access to a range fails. Even a range of one block may cover several regions,
   * because parts of freed memory serve again.
   *
   * @param staged tells for which memory no access is needed
   * @param foreign the fault of an access to memory of another device
   */
  private static @Nullable Fault fault(
      DeviceCore device, Range range, Predicate<Region> staged, Fault foreign) {
    AddressSpace space = device.engine.space;
    long end = range.address() + range.bytes();
    for (long at = range.address(); at < end; ) {
      Region region = space.containing(at);
      if (region == null) {
        return Fault.FATAL;
      }
      boolean mapped = region.pages() != null;
      long stop = mapped ? end : Math.min(end, region.getEnd());
      boolean accessible =
          mapped
              ? new VirtualRange(space, at, stop - at).firstInaccessible(device.ordinal) >= stop
              : isOpen(device, region, staged.test(region));
      if (!accessible) {
        return region.device() == device.ordinal ? Fault.FATAL : foreign;
      }
      at = stop;
    }
    return null;
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
