package org.vramkit.sim.check;

import java.util.Locale;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.memory.Mapping;
import org.vramkit.sim.memory.PageTable;
import org.vramkit.sim.memory.Region;

/** Judges whether a device may touch a range at all: whose memory it is, and what is mapped. */
final class Reach {
  private final Peers peers;
  private final Owners owners;
  private final Reporter reporter;

  Reach(Peers peers, Owners owners, Reporter reporter) {
    this.peers = peers;
    this.owners = owners;
    this.reporter = reporter;
  }

  /** Whether a device may touch memory of the region's. */
  boolean isAllowed(
      Operation by, int device, Region region, long start, long end, AccessKind kind) {
    int owner = region.getDevice();
    if (device == owner || peers.isEnabled(device, owner)) {
      return true;
    }
    boolean possible = peers.isPossible(device, owner);
    reporter
        .find(possible ? HazardCode.PEER_NOT_ENABLED : HazardCode.WRONG_DEVICE)
        .in(owners.liveContaining(start), region)
        .later(by, kind, start, end)
        .missing(
            String.format(
                Locale.ROOT, "device %d may not touch memory of device %d", device, owner))
        .report(
            possible
                ? "enable peer access, or copy through the host"
                : "use a stream of the device that owns the memory, or copy through the host");
    return false;
  }

  /** Whether memory is behind all addresses of a range, and the device may touch it. */
  boolean isMapped(Operation by, int device, Region region, long start, long end, AccessKind kind) {
    PageTable pages = region.getPages();
    if (pages == null) {
      return true;
    }
    for (long at = start; at < end; ) {
      Mapping mapping = pages.get(at);
      if (mapping == null || !mapping.isAccessible(device)) {
        reporter
            .find(HazardCode.ACCESS_NOT_MAPPED)
            .in(region)
            .later(by, kind, start, end)
            .at(at, end)
            .missing(mapping == null ? "no memory is mapped there" : "access was never set")
            .report(mapping == null ? "map memory first" : "call setAccess after map");
        return false;
      }
      at = mapping.getEnd();
    }
    return true;
  }
}
