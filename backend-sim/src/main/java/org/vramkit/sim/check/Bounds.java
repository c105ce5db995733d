package org.vramkit.sim.check;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.check.report.Finding;
import org.vramkit.sim.check.report.Operation;
import org.vramkit.sim.check.report.OwnedBlock;
import org.vramkit.sim.check.report.Reporter;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.memory.Region;

/** Reports accesses to bytes that are nobody's, no longer somebody's, or beyond what was asked. */
final class Bounds {
  private final Owners owners;
  private final Reporter reporter;

  Bounds(Owners owners, Reporter reporter) {
    this.owners = owners;
    this.reporter = reporter;
  }

  /** Nobody has the memory, which may have been freed. */
  void nowhere(Operation by, int device, long start, long end, AccessKind kind) {
    OwnedBlock dead = owners.closedAt(start);
    if (dead == null) {
      dead = owners.driver.dead.containing(start);
    }
    if (dead == null) {
      dead = owners.host.dead.containing(start);
    }
    if (dead != null) {
      freed(by, dead, dead.liveHeir(), start, end, kind);
      return;
    }
    reporter
        .find(HazardCode.ILLEGAL_ADDRESS)
        .on(device)
        .later(by, kind, start, end)
        .missing("an allocation that holds the address")
        .report("use the address of a live allocation");
  }

  /** The memory was given back to its pool, which has not handed it out again. */
  void freed(Operation by, OwnedBlock dead, long start, long end, AccessKind kind) {
    freed(by, dead, null, start, end, kind);
  }

  private void freed(
      Operation by,
      OwnedBlock dead,
      @Nullable OwnedBlock heir,
      long start,
      long end,
      AccessKind kind) {
    reporter
        .find(HazardCode.USE_AFTER_FREE)
        .in(dead)
        .earlier(dead.death, AccessKind.FREE, dead.start, dead.end)
        .later(by, kind, start, end)
        .missing(
            "the memory was given back before this was submitted"
                + (heir == null ? "" : "; it belongs to the " + heir.toOwner() + " by now"))
        .report("close the allocation after submitting its last use");
  }

  /**
   * The memory ends before the access does.
   *
   * @param limit where it ends
   */
  void beyond(
      Operation by,
      @Nullable OwnedBlock block,
      Region region,
      long start,
      long limit,
      long end,
      AccessKind kind) {
    OwnedBlock neighbour = owners.poolAt(limit).liveContaining(limit);
    reporter
        .find(HazardCode.OUT_OF_BOUNDS)
        .in(block, region)
        .later(by, kind, start, end)
        .at(limit, end)
        .missing(
            ByteSize.format(end - limit)
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
  void before(
      Operation by,
      @Nullable OwnedBlock memory,
      Region region,
      OwnedBlock block,
      long start,
      long end,
      AccessKind kind) {
    reporter
        .find(HazardCode.OUT_OF_BOUNDS)
        .in(memory, region)
        .later(by, kind, start, end)
        .at(block.start, Math.min(end, block.end))
        .missing(
            ByteSize.format(block.start - start)
                + " before the beginning of the "
                + block.toOwner())
        .report("begin at the first byte of the block, or touch fewer");
  }
}
