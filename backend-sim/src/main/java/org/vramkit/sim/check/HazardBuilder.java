package org.vramkit.sim.check;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.Operation.Touch;
import org.vramkit.sim.check.Reports.DetectedHazard;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.NearestOrder;
import org.vramkit.sim.hazard.Owner;
import org.vramkit.sim.memory.AddressSpace.Region;

/**
 * Builds a report from memory, accesses, missing order and remedy. The bytes in conflict are those
 * of the later access unless {@link #at} sets them.
 */
public final class HazardBuilder {
  private final Reports reports;
  private final HazardCode code;
  private int device = -1;
  private @Nullable Owner memory;
  private @Nullable Owner previous;
  private @Nullable Access earlier;
  private @Nullable Access later;
  private long start;
  private long end;
  private String missing = "";
  private String link;

  /** The action of the kernel of the later access, in words; empty for other work. */
  private String detail = "";

  private @Nullable NearestOrder nearest;
  private @Nullable Operation unorderedFirst;
  private @Nullable Operation unorderedSecond;

  HazardBuilder(Reports reports, HazardCode code) {
    this.reports = reports;
    this.code = code;
    this.link = code.getLink();
  }

  public HazardBuilder on(int ordinal) {
    device = ordinal;
    return this;
  }

  /** Sets the owner of the memory and its previous owner; does nothing if the block is null. */
  public HazardBuilder in(@Nullable OwnedBlock block) {
    if (block == null) {
      return this;
    }
    device = block.device;
    memory = block.toOwner();
    return after(block.previous());
  }

  /** Sets a freed block, with its free as the earlier access. */
  HazardBuilder inFreed(OwnedBlock freed) {
    return in(freed).earlier(freed.freed, AccessKind.FREE, freed.start, freed.end);
  }

  /** Sets a region of addresses as the memory, without a number, an allocation or a free. */
  public HazardBuilder in(Region region) {
    device = region.device();
    memory =
        new Owner(0, region.kind().getWords(), null, region.start(), region.bytes(), null, null);
    return this;
  }

  public HazardBuilder in(PinnedRange range) {
    device = range.device();
    memory = new Owner(0, "page-locked buffer", null, range.buffer(), range.size(), null, null);
    return this;
  }

  /** Sets the block if it is known, else the region. */
  public HazardBuilder in(@Nullable OwnedBlock block, Region region) {
    return block == null ? in(region) : in(block);
  }

  public HazardBuilder after(@Nullable OwnedBlock block) {
    previous = block == null ? null : block.toOwner();
    return this;
  }

  public HazardBuilder earlier(@Nullable Operation operation, AccessKind kind, long from, long to) {
    earlier = operation == null ? null : operation.toAccess(kind, from, to);
    return this;
  }

  public HazardBuilder later(Operation operation, AccessKind kind, long from, long to) {
    later = operation.toAccess(kind, from, to);
    detail = operation.detail();
    return at(from, to);
  }

  public HazardBuilder later(Touch touch) {
    return later(touch.by(), touch.kind(), touch.start(), touch.end());
  }

  /** Sets the bytes in conflict; by default, those of the later access. */
  public HazardBuilder at(long from, long to) {
    start = from;
    end = to;
    return this;
  }

  /** Sets two accesses that nothing orders. */
  public HazardBuilder between(
      Conflict conflict, Operation by, AccessKind kind, long from, long to) {
    AccessKind how = conflict.wrote() ? AccessKind.WRITE : AccessKind.READ;
    return earlier(conflict.operation(), how, conflict.start(), conflict.end())
        .later(by, kind, from, to)
        .at(conflict.start(), conflict.end())
        .unordered(conflict.operation(), by);
  }

  public HazardBuilder between(Conflict conflict, Touch touch) {
    return between(conflict, touch.by(), touch.kind(), touch.start(), touch.end());
  }

  /**
   * States that the later stream does not wait for the earlier operation, and names the nearest
   * synchronization.
   */
  public HazardBuilder unordered(Operation first, Operation second) {
    Access access = Objects.requireNonNull(earlier, "name the earlier access first");
    unorderedFirst = first;
    unorderedSecond = second;
    nearest = reports.syncs.nearest(first, access.kind().getNoun(), second);
    return missing(missingOrder(first, second.stream));
  }

  static String missingOrder(Operation earlier, StreamClock later) {
    return "nothing makes %s wait for operation %s of %s"
        .formatted(later.words(), earlier.index(), earlier.stream.words());
  }

  public HazardBuilder missing(String words) {
    missing = words;
    return this;
  }

  /** Sets the section of the documentation, if it is not that of the code. */
  HazardBuilder explainedAt(String page) {
    link = page;
    return this;
  }

  /** Completes the report with the cheapest fix, and adds it. */
  public void report(String remedy) {
    reports.add(complete(remedy));
  }

  /** Completes the report with the cheapest fix. */
  public DetectedHazard complete(String remedy) {
    Access found = Objects.requireNonNull(later, "a report needs the access that it was found at");
    HazardReport report =
        new HazardReport(
            code,
            reports.run,
            device,
            memory,
            previous,
            start,
            end - start,
            earlier,
            found,
            detail.isEmpty() ? missing : missing + "; " + detail,
            nearest,
            remedy,
            link);
    return new DetectedHazard(report, unorderedFirst, unorderedSecond);
  }
}
