package org.vramkit.sim.check.thread;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.order.Snapshot;
import org.vramkit.sim.check.order.StreamClock;
import org.vramkit.sim.check.report.Operation;
import org.vramkit.sim.check.report.OwnedBlock;
import org.vramkit.sim.check.report.Reporter;
import org.vramkit.sim.check.shadow.ShadowMemory;
import org.vramkit.sim.hazard.AccessKind;

/** Begins to judge whether an operation comes after all that it has to come after. */
public final class MissingOrder {
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

  /**
   * A plain free that would have waited for this, if it waited.
   *
   * @param users slots of the streams that used the memory last
   */
  public void freed(Operation by, OwnedBlock memory, Set<Integer> users, List<Snapshot> waitedFor) {
    frees.add(new FreeSyncs.Free(by, memory, users, waitedFor));
  }

  /** Whether an access comes after all in conflict, and after its memory was there: mostly. */
  public boolean isComplete(
      Operation by, @Nullable OwnedBlock block, long start, long end, AccessKind kind) {
    StreamClock stream = by.stream();
    return (block == null || block.birth == null || block.birth.isBefore(stream))
        && history.conflict(stream, start, end, kind) == null;
  }

  /** What an operation may come too early after. */
  public ThreadEndInference before(Operation by) {
    return new ThreadEndInference(by, history, hosts, frees, pending, reporter);
  }
}
