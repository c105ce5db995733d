package org.vramkit.sim.check;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;

/**
 * Detects writes by the host to page-locked memory that queued work still has to read. Writes
 * through Java views cannot be seen. So the bytes are saved when the work is submitted, and
 * compared when the host knows it to be done. A write of the same values is not found.
 */
final class PinnedContents {
  /** Limit on the saved bytes; beyond it the oldest ranges are dropped. */
  private static final long KEPT_BYTES = 256L << 20;

  private static final class Watch extends WatchedBytes {
    private final PinnedAccesses.HostChange change;
    private final List<Operation> copies = new ArrayList<>(1);

    Watch(PinnedRange range, ByteBuffer content, PinnedAccesses.HostChange change) {
      super(range, content);
      this.change = change;
    }

    boolean isOrderedWith(FunctionPoint function) {
      return copies.stream().allMatch(function::isOrderedWith);
    }

    /** Drops the copies before a point; returns whether none is left. */
    boolean isOver(Order known) {
      copies.removeIf(copy -> copy.isBefore(known));
      return copies.isEmpty();
    }

    void add(Operation copy) {
      copies.removeIf(earlier -> earlier.slot() == copy.slot());
      copies.add(copy);
    }
  }

  private final Order known;
  private final Reports reports;
  private final Operation.Factory operations;

  /** By their ranges, the oldest first. */
  private final Map<PinnedRange, Watch> watches = new LinkedHashMap<>();

  private final List<FunctionPoint> running = new ArrayList<>(0);
  private long kept;

  /** {@code known} covers what any thread knows to be done. */
  PinnedContents(Order known, Reports reports, Operation.Factory operations) {
    this.known = known;
    this.operations = operations;
    this.reports = reports;
  }

  /** Watches the range that a submitted copy reads. */
  void submitted(
      Operation copy, PinnedRange range, ByteBuffer content, PinnedAccesses.HostChange change) {
    Watch same = watches.get(range);
    if (same != null && !isChanged(same)) {
      same.add(copy);
      return;
    }
    removeIf(watch -> watch.range.equals(range));
    Watch watch = new Watch(range, content, change);
    watch.add(copy);
    watches.put(range, watch);
    kept += watch.size();
    while (kept > KEPT_BYTES) {
      Watch oldest = watches.values().iterator().next();
      removeIf(each -> each == oldest);
    }
  }

  private void removeIf(Predicate<Watch> over) {
    for (Iterator<Watch> it = watches.values().iterator(); it.hasNext(); ) {
      Watch watch = it.next();
      if (over.test(watch)) {
        it.remove();
        kept -= watch.size();
      }
    }
  }

  void learnt() {
    if (!watches.isEmpty()) {
      learnt(known);
    }
  }

  private void learnt(Order done) {
    removeIf(
        watch ->
            watch.copies.stream().anyMatch(copy -> copy.isBefore(done))
                && (isChanged(watch) || watch.isOver(done)));
  }

  void compare(long start, long end) {
    removeIf(watch -> watch.overlaps(start, end) && isChanged(watch));
  }

  /** Performs a write of work on a device, which is no fault of the host. */
  void written(long start, long end, Runnable write) {
    compare(start, end);
    write.run();
    for (Watch watch : watches.values()) {
      if (watch.overlaps(start, end)) {
        watch.expectAsItIs();
      }
    }
  }

  /** Begins a host function: the work before it is done. It may write what later copies read. */
  void functionBegins(FunctionPoint function) {
    removeIf(this::isChanged);
    learnt(function.before());
    running.add(function);
  }

  /** Reports changes under copies that the function is not ordered with. */
  void functionEnds(FunctionPoint function) {
    removeIf(this::isChanged);
    running.remove(function);
  }

  /** Stops watching a range. */
  void forget(long start, long end) {
    removeIf(watch -> watch.overlaps(start, end));
  }

  /** Returns whether the host has written a range, and reports it. */
  private boolean isChanged(Watch watch) {
    if (running.stream().anyMatch(watch::isOrderedWith)) {
      watch.expectAsItIs();
      return false;
    }
    int first = watch.firstChange();
    if (first < 0) {
      return false;
    }
    long start = watch.range.start() + first;
    long end = watch.range.start() + watch.endOfChange(first);
    watch.change.noticed(start, end - start);
    Operation copy = watch.copies.get(0);
    reports
        .find(HazardCode.HOST_RACE)
        .in(watch.range)
        .earlier(copy, AccessKind.READ, watch.range.start(), watch.range.end())
        .later(operations.noticedWrite(), AccessKind.WRITE, start, end)
        .missing(
            ("the host does not wait for operation %s before it writes byte %s of the memory"
                    + " that this operation reads; the write was noticed later, so its line is not known")
                .formatted(copy.index(), first))
        .report("wait for the stream, or for an event recorded after it, before writing");
    return true;
  }
}
