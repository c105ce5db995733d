package org.vramkit.sim.check;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.check.Operation.Touch;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.memory.AddressSpace.Region;
import org.vramkit.sim.memory.AddressSpace.RegionKind;
import org.vramkit.sim.memory.Mappings;

/**
 * Reports accesses to bytes without an owner, beyond the allocation, or inaccessible to the device.
 */
final class AccessErrors extends MemoryRules {
  AccessErrors(MemoryRules shared) {
    super(shared);
  }

  void noAllocation(Touch touch) {
    OwnedBlock freed = owners.closedAt(touch.start());
    if (freed == null) {
      freed = owners.driver.freed.containing(touch.start());
    }
    if (freed == null) {
      freed = owners.host.freed.containing(touch.start());
    }
    if (freed != null) {
      afterFree(touch, freed, freed.liveSuccessor());
      return;
    }
    reports
        .find(HazardCode.ILLEGAL_ADDRESS)
        .on(touch.device())
        .later(touch)
        .missing("an allocation that contains the address")
        .report("use the address of a live allocation");
  }

  /** Reports an access to a freed block whose memory the pool has not allocated again. */
  void afterFree(Touch touch, OwnedBlock freed) {
    afterFree(touch, freed, null);
  }

  private void afterFree(Touch touch, OwnedBlock freed, @Nullable OwnedBlock successor) {
    reports
        .find(HazardCode.USE_AFTER_FREE)
        .inFreed(freed)
        .later(touch)
        .missing(
            "the memory was freed before this work was submitted"
                + (successor == null ? "" : "; it now belongs to the " + successor.toOwner()))
        .report(howToUseBefore(freed, touch.by()));
  }

  /**
   * Returns the remedy for a use that was submitted after a free. The order that the free itself
   * needs depends on who frees: the host, a stream, or a pool that waits for recorded uses.
   */
  private String howToUseBefore(OwnedBlock freed, Operation use) {
    Operation free = freed.freed;
    String user = use.stream.name;
    String remedy = "close the allocation after submitting its last use";
    if (free == null || free.isByHost()) {
      return remedy + " and waiting for " + user;
    }
    if (!freed.isAllocatedBefore(use.stream, hosts)) {
      remedy += ", for which %s waits for %s first".formatted(user, freed.allocated.stream.name);
    }
    if (use.stream == free.stream) {
      return remedy;
    }
    return freed.isOfPool() && use.device() == freed.device
        ? remedy + ", and record the use by %s before closing it".formatted(user)
        : remedy + ", and make %s wait for that use before the free".formatted(free.stream.name);
  }

  /** Reports an access that extends beyond the end of its memory. */
  void outOfBounds(Touch touch, @Nullable OwnedBlock block, Region region, long limit) {
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
        .report("request more bytes, or access fewer");
  }

  /** Reports a copy that reads bytes which it also writes, in an unspecified order. */
  void overlapping(Operation by, @Nullable Region region, long target, long source, long bytes) {
    OwnedBlock owner = owners.liveContaining(target);
    HazardBuilder finding = reports.find(HazardCode.OVERLAPPING_COPY);
    (region == null ? finding.in(owner) : finding.in(owner, region))
        .later(by, AccessKind.WRITE, target, target + bytes)
        .at(Math.max(target, source), Math.min(target, source) + bytes)
        .missing(
            "separate ranges: source and target share "
                + ByteSize.format(bytes - Math.abs(target - source)))
        .report("copy through other memory, or in pieces that do not overlap");
  }

  /** Reports an access that begins before a block of a pool and extends into it. */
  void startsBefore(Touch touch, @Nullable OwnedBlock memory, Region region, OwnedBlock block) {
    reports
        .find(HazardCode.OUT_OF_BOUNDS)
        .in(memory, region)
        .later(touch)
        .at(block.start, Math.min(touch.end(), block.end))
        .missing(
            "%s before the beginning of the %s"
                .formatted(ByteSize.format(block.start - touch.start()), block.toOwner()))
        .report("begin at the first byte of the block, or access fewer");
  }

  /**
   * Reports an access to memory of another device. {@code possible} tells whether the hardware
   * supports peer access.
   */
  void inaccessible(Touch touch, Region region, boolean possible) {
    int device = touch.device();
    int owner = region.device();
    reports
        .find(possible ? HazardCode.PEER_NOT_ENABLED : HazardCode.WRONG_DEVICE)
        .in(owners.liveContaining(touch.start()), region)
        .later(touch)
        .missing("device %s may not access memory of device %s".formatted(device, owner))
        .report(
            possible
                ? howToOpen(region, device, owner)
                : "use a stream of the device that owns the memory, or copy through the host");
  }

  /**
   * Returns the remedy that gives a device access. Peer access opens plain memory only, neither
   * driver pools nor mapped memory.
   */
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

  /** Reports that no accessible memory is mapped at an address. */
  void unmapped(Touch touch, Region region, long at) {
    int device = touch.device();
    Mappings pages = region.pages();
    boolean isMapped = pages != null && pages.get(at) != null;
    OwnedBlock closed = isMapped ? null : owners.closedAt(at);
    if (closed != null) {
      // The pool has since returned the block's memory, or moved it to other addresses.
      afterFree(touch, closed);
      return;
    }
    if (owners.pools.isSuspended(at)) {
      reports
          .find(HazardCode.SUSPENDED_ACCESS)
          .in(owners.liveContaining(at), region)
          .later(touch)
          .at(at, touch.end())
          .missing("the pool is suspended, so the range has no memory")
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
            pages != null && pages.wasMapped(at)
                ? "submit the work before the unmap, and wait for %s in between"
                    .formatted(touch.by().stream.name)
                : !isMapped
                    ? "map memory first"
                    : device == region.device()
                        ? "call setAccess after map"
                        : howToOpen(region, device, region.device()));
  }
}
