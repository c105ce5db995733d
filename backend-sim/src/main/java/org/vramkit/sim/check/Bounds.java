package org.vramkit.sim.check;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.memory.Region;

/** Reports accesses to bytes that are nobody's, no longer somebody's, or beyond what was asked. */
final class Bounds extends MemoryRules {
  Bounds(MemoryRules shared) {
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
    reporter
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
    reporter
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
    reporter
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
    Finding finding = reporter.find(HazardCode.OVERLAPPING_COPY);
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
    reporter
        .find(HazardCode.OUT_OF_BOUNDS)
        .in(memory, region)
        .later(touch)
        .at(block.start, Math.min(touch.end(), block.end))
        .missing(
            "%s before the beginning of the %s"
                .formatted(ByteSize.format(block.start - touch.start()), block.toOwner()))
        .report("begin at the first byte of the block, or touch fewer");
  }
}
