package org.vramkit.sim.check;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.check.Operation.Touch;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.memory.Mappings;
import org.vramkit.sim.memory.Region;
import org.vramkit.sim.memory.RegionKind;

/**
 * Reports accesses to bytes that have no owner, or none any more, lie beyond what was asked, or out
 * of a device's reach.
 */
final class MisplacedAccess extends MemoryRules {
  MisplacedAccess(MemoryRules shared) {
    super(shared);
  }

  void nowhere(Touch touch) {
    OwnedBlock dead = owners.closedAt(touch.start());
    if (dead == null) {
      dead = owners.driver.dead.containing(touch.start());
    }
    if (dead == null) {
      dead = owners.host.dead.containing(touch.start());
    }
    if (dead != null) {
      freed(touch, dead, dead.liveHeir());
      return;
    }
    reports
        .find(HazardCode.ILLEGAL_ADDRESS)
        .on(touch.device())
        .later(touch)
        .missing("an allocation that holds the address")
        .report("use the address of a live allocation");
  }

  /** The memory was given back to its pool, which has not handed it out again. */
  void freed(Touch touch, OwnedBlock dead) {
    freed(touch, dead, null);
  }

  private void freed(Touch touch, OwnedBlock dead, @Nullable OwnedBlock heir) {
    reports
        .find(HazardCode.USE_AFTER_FREE)
        .inFreed(dead)
        .later(touch)
        .missing(
            "the memory was given back before this was submitted"
                + (heir == null ? "" : "; it belongs to the " + heir.toOwner() + " by now"))
        .report("close the allocation after submitting its last use");
  }

  /** The memory ends at a limit, the access does not. */
  void beyond(Touch touch, @Nullable OwnedBlock block, Region region, long limit) {
    OwnedBlock neighbour = owners.poolAt(limit).liveContaining(limit);
    reports
        .find(HazardCode.OUT_OF_BOUNDS)
        .in(block, region)
        .later(touch)
        .at(limit, touch.end())
        .missing(
            ByteSize.format(touch.end() - limit)
                + " beyond the end"
                + (neighbour == null ? ", in slack" : ", in the " + neighbour.toOwner()))
        .report("ask for more bytes, or touch fewer");
  }

  /** A copy reads bytes that it writes itself, and which come first nobody says. */
  void overlapping(Operation by, @Nullable Region region, long target, long source, long bytes) {
    OwnedBlock owner = owners.liveContaining(target);
    Finding finding = reports.find(HazardCode.OVERLAPPING_COPY);
    (region == null ? finding.in(owner) : finding.in(owner, region))
        .later(by, AccessKind.WRITE, target, target + bytes)
        .at(Math.max(target, source), Math.min(target, source) + bytes)
        .missing(
            ByteSize.format(bytes - Math.abs(target - source))
                + " that are apart from the bytes which the copy reads")
        .report("copy to memory of its own first, or in pieces that do not overlap");
  }

  /** The access begins where no block of a pool is, and runs into one. */
  void before(Touch touch, @Nullable OwnedBlock memory, Region region, OwnedBlock block) {
    reports
        .find(HazardCode.OUT_OF_BOUNDS)
        .in(memory, region)
        .later(touch)
        .at(block.start, Math.min(touch.end(), block.end))
        .missing(
            "%s before the beginning of the %s"
                .formatted(ByteSize.format(block.start - touch.start()), block.toOwner()))
        .report("begin at the first byte of the block, or touch fewer");
  }

  /** The memory is of another device, which this one may not touch; whether it could be let. */
  void elsewhere(Touch touch, Region region, boolean possible) {
    int device = touch.device();
    int owner = region.device();
    reports
        .find(possible ? HazardCode.PEER_NOT_ENABLED : HazardCode.WRONG_DEVICE)
        .in(owners.liveContaining(touch.start()), region)
        .later(touch)
        .missing("device %s may not touch memory of device %s".formatted(device, owner))
        .report(
            possible
                ? howToOpen(region, device, owner)
                : "use a stream of the device that owns the memory, or copy through the host");
  }

  /** How another device may touch memory: peer access opens plain memory, never mapped memory. */
  private static String howToOpen(Region region, int device, int owner) {
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

  /** From an address on there is no memory, or none that the device may touch. */
  void unmapped(Touch touch, Region region, long at) {
    int device = touch.device();
    Mappings pages = region.pages();
    boolean isMapped = pages != null && pages.get(at) != null;
    OwnedBlock closed = isMapped ? null : owners.closedAt(at);
    if (closed != null) {
      // Its pool gave the memory back since, or moved it to other addresses.
      freed(touch, closed);
      return;
    }
    if (owners.pools.isSuspended(at)) {
      reports
          .find(HazardCode.SUSPENDED_ACCESS)
          .in(owners.liveContaining(at), region)
          .later(touch)
          .at(at, touch.end())
          .missing("the memory is away, as the pool is suspended")
          .report("resume the pool before the work is submitted");
      return;
    }
    reports
        .find(HazardCode.ACCESS_NOT_MAPPED)
        .in(owners.liveContaining(touch.start()), region)
        .later(touch)
        .at(at, touch.end())
        .missing(
            isMapped ? "access was never set for device " + device : "no memory is mapped there")
        .report(
            !isMapped
                ? "map memory first"
                : device == region.device()
                    ? "call setAccess after map"
                    : howToOpen(region, device, region.device()));
  }
}
