package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.Reports.DetectedHazard;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;

/** Checks whether an operation is ordered after everything that it must follow. */
final class OrderRule {
  /** A possible report: its code, the memory and accesses, and the remedy between streams. */
  record Candidate(HazardCode code, UnaryOperator<HazardBuilder> description, String remedy) {}

  private final ShadowMemory history;
  private final HostThreads hosts;
  private final Reports reports;

  /**
   * The latest plain frees. A program that relies on the wait of an older one gets a report of a
   * race.
   */
  private final Ring<PlainFree> frees = new Ring<>(64);

  OrderRule(ShadowMemory history, HostThreads hosts, Reports reports) {
    this.history = history;
    this.hosts = hosts;
    this.reports = reports;
  }

  /**
   * Adds a plain free, the slots of the streams that used its memory, and the work that it might
   * wait for.
   */
  void freed(Operation by, OwnedBlock memory, Set<Integer> users, List<Snapshot> waitedFor) {
    frees.add(new PlainFree(by, memory, users, waitedFor));
  }

  OrderCheck before(Operation by) {
    return new OrderCheck(by);
  }

  /**
   * Reports at once that an operation is not ordered before another, even if it waits for a gate.
   */
  void reportUnordered(Operation earlier, Operation by, Candidate candidate) {
    reports.add(before(by).check(earlier, candidate, null));
  }

  /**
   * Collects the operations that one access may conflict with because nothing orders them before
   * it. The first is reported with what is missing: an edge between streams, a hand-off between
   * threads, or a synchronization that the driver never guaranteed. Where a closed gate may still
   * order two operations, the check is repeated when the gate opens.
   */
  final class OrderCheck {
    private final Operation by;
    private final List<DetectedHazard> gated = new ArrayList<>(0);
    private final List<Operation> unordered = new ArrayList<>(1);
    private @Nullable DetectedHazard found;
    private Predicate<Operation> ordered;

    /** True once an operation was found that a hand-off cannot order; it ends the search. */
    private boolean certain;

    private OrderCheck(Operation by) {
      this.by = by;
      this.ordered = other -> by.isOrderedWith(other) || hosts.isOrderedByPools(other, by);
    }

    /** Adds the conflicting accesses to a range. */
    OrderCheck addConflicts(
        long start, long end, AccessKind kind, Function<Conflict, Candidate> candidate) {
      Conflict conflict = nextConflict(start, end, kind);
      if (conflict != null) {
        joinEndedThreads();
        conflict = nextConflict(start, end, kind);
      }
      while (conflict != null) {
        add(conflict.operation(), candidate.apply(conflict));
        conflict = nextConflict(start, end, kind);
      }
      return this;
    }

    private @Nullable Conflict nextConflict(long start, long end, AccessKind kind) {
      return certain ? null : history.conflict(ordered, by.orderOfRetained(), start, end, kind);
    }

    /** Adds the allocation of a block, unless it is ordered before the access. */
    OrderCheck addAllocation(OwnedBlock block, Candidate candidate) {
      if (!block.isAllocatedBefore(by.stream, hosts)) {
        joinEndedThreads();
        if (block.virtualWrite != null && !block.isAllocatedBefore(by.stream, hosts)) {
          add(block.virtualWrite, candidate);
          block.assumeAllocatedBefore(by.stream);
        }
      }
      return this;
    }

    /**
     * Adds the knowledge of ended threads to the calling thread, and to the stream of its
     * operation.
     */
    private void joinEndedThreads() {
      hosts.joinEndedThreads();
      if (!by.isByFunction()) {
        by.stream.join(hosts.current().known);
      }
    }

    /** Adds an operation that nothing orders before the access. */
    void add(Operation earlier, Candidate candidate) {
      if (certain) {
        return;
      }
      ordered = ordered.or(earlier::isAt);
      if (by.closedGateBetween(earlier) != null) {
        gated.add(check(earlier, candidate, null));
        return;
      }
      unordered.add(earlier);
      HostThread waiter = hosts.findThreadThatKnows(earlier);
      certain = waiter == null;
      if (found == null) {
        found = check(earlier, candidate, waiter);
      }
    }

    private DetectedHazard check(
        Operation earlier, Candidate candidate, @Nullable HostThread waiter) {
      PlainFree free = freeBetween(earlier, by);
      if (free != null) {
        return onlyByFree(earlier, candidate, free);
      }
      HazardBuilder hazard = candidate.description().apply(reports.find(candidate.code()));
      if (waiter == null) {
        return hazard.complete(candidate.remedy());
      }
      return hazard
          .missing(
              "%s waited for operation %s of %s, %s did not"
                  .formatted(
                      waiter.name, earlier.index(), earlier.stream.words(), hosts.current().name))
          .explainedAt(HazardReport.HOST_THREADS)
          .complete(
              "if one thread waits for the other, declare it: HandOff done = gpu.newHandOff(),"
                  + " done.publish() after the first one's wait, done.receive() before this; or use"
                  + " @SimulatedGpu(strictness = STRICT)");
    }

    private DetectedHazard onlyByFree(Operation earlier, Candidate candidate, PlainFree free) {
      DetectedHazard report =
          candidate
              .description()
              .apply(reports.find(HazardCode.RELIES_ON_FREE_SYNC))
              .missing(
                  ("%s; operation %s freed the %s in between; today's driver waits then, but CUDA"
                          + " does not guarantee it")
                      .formatted(
                          HazardBuilder.missingOrder(earlier, by.stream),
                          free.by().index(),
                          free.memory().toOwner()))
              .complete(
                  "wait for the stream or the device before the free, or accept the free as a"
                      + " wait: @SimulatedGpu(strictness = LENIENT)");
      free.waitedFor().forEach(by.stream::join);
      return report;
    }

    /**
     * Reports the first unordered operation. Returns all unordered ones, except those that a gate
     * may still order; they count as ordered from now on.
     */
    List<Operation> report() {
      if (found != null) {
        reports.add(found);
      } else {
        decideWhenOpen(gated);
      }
      unordered.forEach(by::assumeAfter);
      return unordered;
    }
  }

  /** Reports the first candidate that no gate has ordered, once all its gates are open. */
  private void decideWhenOpen(List<DetectedHazard> candidates) {
    if (candidates.isEmpty()) {
      return;
    }
    DetectedHazard first = candidates.get(0);
    GateOrder gate = first.closedGate();
    if (gate == null) {
      reports.add(first);
    } else {
      gate.whenOpen(
          () -> decideWhenOpen(candidates.stream().filter(each -> !each.isGated()).toList()));
    }
  }

  /**
   * Returns the latest free by the later operation's thread that would have ordered the two
   * operations by a wait for the device; null if none would. A free of memory that only other
   * streams used does not count. A free of memory that the earlier operation's stream used is
   * preferred.
   */
  private @Nullable PlainFree freeBetween(Operation earlier, Operation later) {
    PlainFree found = null;
    for (PlainFree free : frees.latestFirst()) {
      if (free.by.isOfThread(later)
          && free.isAbout(earlier, later)
          && free.wouldOrder(earlier, later.stream)
          && (found == null || (free.isUsedBy(earlier) && !found.isUsedBy(earlier)))) {
        found = free;
      }
    }
    return found;
  }

  /**
   * A plain free, the slots of the streams that last used its memory, and the work submitted before
   * it, for which it would have waited if it had synchronized its device. Today's driver does so;
   * CUDA does not specify it.
   */
  private record PlainFree(
      Operation by, OwnedBlock memory, Set<Integer> users, List<Snapshot> waitedFor) {
    /** Returns whether a program may have taken the free for a barrier after an operation. */
    boolean isAbout(Operation earlier, Operation later) {
      return users.isEmpty() || isUsedBy(earlier) || isUsedBy(later);
    }

    private boolean isUsedBy(Operation operation) {
      return users.contains(operation.slot());
    }

    /**
     * Returns whether a wait of this free would have ordered an operation before a stream's next
     * one.
     */
    boolean wouldOrder(Operation earlier, StreamClock later) {
      return by.isBefore(later) && waitedFor.stream().anyMatch(earlier::isBefore);
    }
  }
}
