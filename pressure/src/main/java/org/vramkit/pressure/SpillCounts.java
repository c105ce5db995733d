package org.vramkit.pressure;

import java.util.Collection;
import java.util.function.ToLongFunction;
import org.vramkit.pressure.Spillable.State;

/** Counts the moves of a {@link SpillStore}. Guarded by the lock of the store. */
final class SpillCounts {
  private long spills;
  private long spilledBytes;
  private long diskWrites;
  private long diskWrittenBytes;
  private long restores;
  private long restoredBytes;
  private long failures;

  /** Counts a spillable that has left the device. */
  void spilled(long bytes) {
    spills++;
    spilledBytes += bytes;
  }

  /** Counts a spillable that was written to disk. */
  void written(long bytes) {
    diskWrites++;
    diskWrittenBytes += bytes;
  }

  /** Counts a spillable that was restored to the device. */
  void restored(long bytes) {
    restores++;
    restoredBytes += bytes;
  }

  /** Counts a move that failed. */
  void failed() {
    failures++;
  }

  SpillStatistics read(Collection<Spillable> all) {
    return new SpillStatistics(
        sum(all, State.DEVICE, Spillable::getSize),
        sum(all, State.DEVICE, each -> each.leases > 0 ? each.getSize() : 0),
        sum(all, State.HOST, Spillable::getSize),
        sum(all, State.DISK, Spillable::getSize),
        spills,
        spilledBytes,
        diskWrites,
        diskWrittenBytes,
        restores,
        restoredBytes,
        failures);
  }

  private static long sum(
      Collection<Spillable> all, State state, ToLongFunction<Spillable> figure) {
    return all.stream().filter(each -> each.state == state).mapToLong(figure).sum();
  }
}
