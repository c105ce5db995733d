package org.vramkit.sim.check;

import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.memory.Mapping;
import org.vramkit.sim.memory.Mappings;
import org.vramkit.sim.memory.Region;
import org.vramkit.sim.memory.RegionKind;

/** Judges whether a device may touch a range at all: whose memory it is, and what is mapped. */
final class Reach extends MemoryRules {
  private final Peers peers;
  private final Bounds bounds;

  Reach(MemoryRules shared, Peers peers, Bounds bounds) {
    super(shared);
    this.peers = peers;
    this.bounds = bounds;
  }

  /** Whether a device may touch memory of the region's. */
  boolean isAllowed(Touch touch, Region region) {
    int device = touch.device();
    int owner = region.device();
    if (device == owner
        || region.kind().isShared()
        || isShared(region, device, touch.start())
        || isOpen(region, device)) {
      return true;
    }
    boolean possible = peers.isPossible(device, owner);
    reporter
        .find(possible ? HazardCode.PEER_NOT_ENABLED : HazardCode.WRONG_DEVICE)
        .in(owners.liveContaining(touch.start()), region)
        .later(touch)
        .missing("device %s may not touch memory of device %s".formatted(device, owner))
        .report(
            possible
                ? remedy(region, device, owner)
                : "use a stream of the device that owns the memory, or copy through the host");
    return false;
  }

  /** Peer access opens plain memory, and never that of pools, which are opened one by one. */
  private boolean isOpen(Region region, int device) {
    return region.kind() == RegionKind.POOL
        ? region.isOpenTo(device)
        : peers.isEnabled(device, region.device());
  }

  /** Mapped memory knows by itself who may touch it: cuMemSetAccess needs no peer access. */
  private static boolean isShared(Region region, int device, long start) {
    Mappings pages = region.pages();
    Mapping mapping = pages == null ? null : pages.get(start);
    return mapping != null && mapping.isAccessible(device);
  }

  /** How another device may touch memory: peer access opens plain memory, never mapped memory. */
  private static String remedy(Region region, int device, int owner) {
    if (region.kind() == RegionKind.POOL) {
      return ("build the DriverPoolAllocator with accessibleFrom(device %1$s), or call"
              + " setAccess(device %1$s, true) on the driver pool, as peer access does not open its"
              + " memory, or copy through the host")
          .formatted(device);
    }
    String words =
        region.pages() == null
            ? "call getPeerAccess().enable(device %2$s) on device %1$s, or copy through the host"
            : "build the CachingAllocator of device %2$s with accessibleFrom(device %1$s), or call"
                + " setAccess for device %1$s after map, or copy through the host";
    return words.formatted(device, owner);
  }

  /**
   * Whether memory is behind all addresses of a range, and the device may touch it; tells nobody.
   */
  static boolean areMapped(int device, Region region, long start, long end) {
    return firstUnmapped(device, region, start, end) >= end;
  }

  private static long firstUnmapped(int device, Region region, long start, long end) {
    Mappings pages = region.pages();
    long at = pages == null ? end : start;
    while (pages != null && at < end) {
      Mapping mapping = pages.get(at);
      if (mapping == null || !mapping.isAccessible(device)) {
        return at;
      }
      at = mapping.getEnd();
    }
    return at;
  }

  /** The same of an access, which is reported if not. */
  boolean isMapped(Touch touch, Region region) {
    int device = touch.device();
    Mappings pages = region.pages();
    long at = firstUnmapped(device, region, touch.start(), touch.end());
    if (pages == null || at >= touch.end()) {
      return true;
    }
    Mapping mapping = pages.get(at);
    OwnedBlock closed = mapping == null ? owners.closedAt(at) : null;
    if (closed != null) {
      // Its pool gave the memory back since, or moved it to other addresses.
      bounds.freed(touch, closed);
      return false;
    }
    reporter
        .find(HazardCode.ACCESS_NOT_MAPPED)
        .in(owners.liveContaining(touch.start()), region)
        .later(touch)
        .at(at, touch.end())
        .missing(
            mapping == null
                ? "no memory is mapped there"
                : "access was never set for device " + device)
        .report(
            mapping == null
                ? "map memory first"
                : device == region.device()
                    ? "call setAccess after map"
                    : remedy(region, device, region.device()));
    return false;
  }
}
