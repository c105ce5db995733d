package org.vramkit.sim.check.thread;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.order.Order;
import org.vramkit.sim.check.order.Snapshot;
import org.vramkit.sim.check.order.StreamClock;
import org.vramkit.sim.check.report.Conflict;
import org.vramkit.sim.check.report.Finding;
import org.vramkit.sim.check.report.Found;
import org.vramkit.sim.check.report.Operation;
import org.vramkit.sim.check.report.OwnedBlock;
import org.vramkit.sim.check.report.Reporter;
import org.vramkit.sim.check.report.Touch;
import org.vramkit.sim.check.shadow.ShadowMemory;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;

/** Judges whether an operation comes after all that it has to come after. */
public final class MissingOrder {
  /** How to report one: what is told of memory and accesses, and the remedy between streams. */
  public record Suspicion(HazardCode code, UnaryOperator<Finding> told, String remedy) {}

  private final ShadowMemory history;
  private final HostThreads hosts;
  private final Reporter reporter;
  private final PendingReports pending;
  private final FreeSyncs frees = new FreeSyncs();

  public MissingOrder(
      ShadowMemory history, HostThreads hosts, Reporter reporter, PendingReports pending) {
    this.history = history;
    this.hosts = hosts;
    this.reporter = reporter;
    this.pending = pending;
  }

  /** A plain free, slots of the streams that used its memory, and what it might wait for. */
  public void freed(Operation by, OwnedBlock memory, Set<Integer> users, List<Snapshot> waitedFor) {
    frees.add(new FreeSyncs.Free(by, memory, users, waitedFor));
  }

  /** Whether an access comes after all in conflict, and after its memory was there: mostly. */
  public boolean isComplete(Touch touch, @Nullable OwnedBlock block) {
    StreamClock stream = touch.by().stream;
    return (block == null || block.birth == null || block.birth.isBefore(stream))
        && history.conflict(stream, touch.start(), touch.end(), touch.kind()) == null;
  }

  public Verdict before(Operation by) {
    return new Verdict(by);
  }

  /**
   * What one access may come too early after: operations that nothing orders before it, until one
   * is found that no other thread of the host knows to be done. Says what is missing: an edge
   * between streams, a hand-over between two threads, or a promise of the driver that it never
   * made.
   */
  public final class Verdict {
    private final Operation by;
    private final List<PendingReports.Pending> found = new ArrayList<>(1);
    private final List<Operation> unordered = new ArrayList<>(1);
    private Order point;
    private boolean certain;

    private Verdict(Operation by) {
      this.by = by;
      this.point = by.point();
    }

    /** Adds the accesses to a range that nothing orders before this one. */
    public Verdict addConflicts(
        long start, long end, AccessKind kind, Function<Conflict, Suspicion> suspicion) {
      Conflict conflict = nextConflict(start, end, kind);
      if (conflict != null) {
        inherit();
        conflict = nextConflict(start, end, kind);
      }
      while (conflict != null) {
        add(conflict.operation(), suspicion.apply(conflict));
        conflict = nextConflict(start, end, kind);
      }
      return this;
    }

    private @Nullable Conflict nextConflict(long start, long end, AccessKind kind) {
      return certain ? null : history.conflict(point, start, end, kind);
    }

    /** Adds an allocation, if nothing orders it before the access. */
    public Verdict addBirth(Operation birth, Suspicion suspicion) {
      if (!birth.isBefore(by.stream)) {
        inherit();
        if (!birth.isBefore(by.stream)) {
          add(birth, suspicion);
        }
      }
      return this;
    }

    /** What a thread knew that is over belongs to the calling one as well. */
    private void inherit() {
      hosts.buryDead();
      by.stream.join(hosts.current().known);
    }

    /** Adds an operation that nothing orders before the access. */
    public Verdict add(Operation earlier, Suspicion suspicion) {
      if (!certain) {
        Witnesses witnesses = hosts.witnesses(earlier);
        if (witnesses.isEmpty() || hosts.pedantic) {
          found.add(new PendingReports.Pending(judge(earlier, suspicion, witnesses), witnesses));
        }
        unordered.add(earlier);
        if (by.closedGate() == null && earlier.closedGate() == null) {
          certain = witnesses.isEmpty();
          point = Order.either(point, witnesses.common());
        } else {
          // Whoever opens the gate may know this one to be done, and another not.
          point = Order.either(point, earlier.exactly());
        }
      }
      return this;
    }

    private Found judge(Operation earlier, Suspicion suspicion, Witnesses witnesses) {
      FreeSyncs.Free free = frees.between(earlier, by);
      if (free != null) {
        return onlyByFree(earlier, suspicion, free);
      }
      Finding finding = suspicion.told().apply(reporter.find(suspicion.code()));
      if (witnesses.isEmpty()) {
        return finding.complete(suspicion.remedy());
      }
      return finding
          .missing(
              "%s waited for operation %s of %s, %s did not"
                  .formatted(
                      witnesses.getName(),
                      earlier.index(),
                      earlier.stream.name,
                      hosts.current().name))
          .explainedAt(HazardReport.HOST_THREADS)
          .complete(
              "if the one thread waits for the other, tell so: HandOff done = gpu.newHandOff(),"
                  + " done.publish() after the one's wait, done.receive() before this; or do not"
                  + " demand that: @SimulatedGpu(strictness = STRICT)");
    }

    private Found onlyByFree(Operation earlier, Suspicion suspicion, FreeSyncs.Free free) {
      Found report =
          suspicion
              .told()
              .apply(reporter.find(HazardCode.RELIES_ON_FREE_SYNC))
              .missing(
                  "%s; operation %s freed the %s in between, which waits in fact and promises nothing"
                      .formatted(
                          Finding.missingOrder(earlier, by.stream),
                          free.by().index(),
                          free.memory().toOwner()))
              .complete(
                  "wait for the stream or the device where the free stands, or rely on the free:"
                      + " @SimulatedGpu(strictness = LENIENT)");
      free.waitedFor().forEach(by.stream::join);
      return report;
    }

    /** Reports the first that stands; gives all, which count as ordered from now on. */
    public List<Operation> report() {
      pending.add(found);
      unordered.forEach(by::assumeAfter);
      return unordered;
    }
  }
}
