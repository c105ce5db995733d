package org.vramkit.sim.check;

import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.HazardCode;

/**
 * Finds accesses that nothing orders, and says what is missing: an edge between streams, a
 * hand-over between two threads of the host, or a promise of the driver that it never made.
 */
final class MissingOrder {
  private final History history;
  private final HostThreads hosts;
  private final Reporter reporter;
  private final FreeSyncs frees = new FreeSyncs();

  MissingOrder(History history, HostThreads hosts, Reporter reporter) {
    this.history = history;
    this.hosts = hosts;
    this.reporter = reporter;
  }

  /** A plain free that would have waited for this, if it waited. */
  void freed(Operation by, OwnedBlock memory, List<Snapshot> waitedFor) {
    frees.add(new FreeSyncs.Free(by, memory, waitedFor));
  }

  /** The first access in a range that is not ordered before an operation of a stream. */
  @Nullable Conflict conflict(StreamClock by, long start, long end, boolean writes) {
    Conflict found = history.conflict(by, start, end, writes);
    while (found != null && isInherited(found.operation(), by)) {
      found = history.conflict(by, start, end, writes);
    }
    return found;
  }

  /** Whether an operation is ordered before the next one of a stream. */
  boolean isBefore(Operation earlier, StreamClock by) {
    return earlier.isBefore(by) || isInherited(earlier, by);
  }

  private boolean isInherited(Operation earlier, StreamClock by) {
    if (!hosts.isInherited(earlier)) {
      return false;
    }
    by.join(hosts.current().known);
    return earlier.isBefore(by);
  }

  /**
   * Reports two accesses that nothing orders, and orders them from now on.
   *
   * @param told whose memory it is and which accesses they are
   * @param remedy what helps where an edge is missing between streams
   */
  void report(
      HazardCode code,
      UnaryOperator<Finding> told,
      Conflict conflict,
      Operation by,
      String remedy) {
    Operation earlier = conflict.operation();
    FreeSyncs.Free free = frees.between(earlier, by.stream());
    HostThread knowing = hosts.knowing(earlier);
    if (free != null) {
      told.apply(reporter.find(HazardCode.RELIES_ON_FREE_SYNC))
          .missing(
              String.format(
                  Locale.ROOT,
                  "nothing makes %s wait for operation %d of %s; operation %d freed the %s in"
                      + " between, which waits in fact and promises nothing",
                  by.stream().getName(),
                  earlier.index(),
                  earlier.stream().getName(),
                  free.by().index(),
                  free.memory().toOwner()))
          .report("wait for the stream or the device where the free stands, or judge LENIENT");
      free.waitedFor().forEach(by.stream()::join);
    } else if (knowing != null) {
      told.apply(reporter.find(code))
          .missing(
              String.format(
                  Locale.ROOT,
                  "%s waited for operation %d of %s, %s did not",
                  knowing.getName(),
                  earlier.index(),
                  earlier.stream().getName(),
                  hosts.current().getName()))
          .report("hand over with HandOff.publish and HandOff.receive, or judge LENIENT");
    } else {
      told.apply(reporter.find(code)).report(remedy);
    }
    by.stream().join(earlier.stream().getSlot(), earlier.epoch());
  }
}
