package org.vramkit.sim.check;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;

/**
 * Finds what the host writes into page-locked memory that a queued copy still has to read. Views
 * are plain buffers of Java, so nobody sees the writes: the bytes are kept as they were when the
 * copy was submitted, and compared when the host knows the copy to be done. A write of the same
 * values is not found.
 */
final class PinnedContents {
  /** How many ranges are watched; beyond it the oldest is let go. */
  private static final int WATCHED = 4096;

  /** A range as it was when copies of it were submitted. */
  private static final class Watch {
    final PinnedRange range;
    final ByteBuffer content;
    final byte[] expected;
    final HostChange change;
    final List<Operation> copies = new ArrayList<>(1);

    Watch(PinnedRange range, ByteBuffer content, HostChange change) {
      this.change = change;
      this.range = range;
      this.content = content;
      this.expected = new byte[content.remaining()];
      content.get(0, expected);
    }

    boolean overlaps(long start, long end) {
      return range.start() < end && start < range.end();
    }

    void add(Operation copy) {
      copies.removeIf(earlier -> earlier.stream().getSlot() == copy.stream().getSlot());
      copies.add(copy);
    }
  }

  private final Order known;
  private final Reporter reporter;
  private final Supplier<Operation> noticed;
  private final List<Watch> watches = new ArrayList<>();

  /**
   * Watches nothing.
   *
   * @param known what any thread of the host knows to be done
   * @param noticed an operation of the host that stands for a write that was noticed
   */
  PinnedContents(Order known, Reporter reporter, Supplier<Operation> noticed) {
    this.known = known;
    this.noticed = noticed;
    this.reporter = reporter;
  }

  /**
   * A copy was submitted that reads a range.
   *
   * @param content its bytes: what is left of a view
   * @param change told when the host is noticed to have written them
   */
  void submitted(Operation copy, PinnedRange range, ByteBuffer content, HostChange change) {
    for (Iterator<Watch> it = watches.iterator(); it.hasNext(); ) {
      Watch watch = it.next();
      if (watch.range.equals(range)) {
        if (!isChanged(watch)) {
          watch.add(copy);
          return;
        }
        it.remove();
      }
    }
    if (watches.size() == WATCHED) {
      watches.remove(0);
    }
    Watch watch = new Watch(range, content, change);
    watch.add(copy);
    watches.add(watch);
  }

  /** The host has learnt that work is done. */
  void learnt() {
    if (!watches.isEmpty()) {
      watches.removeIf(
          watch -> {
            boolean changed = isChanged(watch);
            watch.copies.removeIf(known::covers);
            return changed || watch.copies.isEmpty();
          });
    }
  }

  /** Work on a device writes a range: no fault of the host's. */
  void written(long start, long end, Runnable write) {
    watches.removeIf(watch -> watch.overlaps(start, end) && isChanged(watch));
    write.run();
    for (Watch watch : watches) {
      if (watch.overlaps(start, end)) {
        watch.content.get(0, watch.expected);
      }
    }
  }

  /** A host function runs: what it writes is in stream order, and no fault of the host's. */
  void runHostFunction(Runnable function) {
    watches.removeIf(this::isChanged);
    try {
      function.run();
    } finally {
      watches.forEach(watch -> watch.content.get(0, watch.expected));
    }
  }

  /** A range is judged by other means from now on. */
  void forget(long start, long end) {
    watches.removeIf(watch -> watch.overlaps(start, end));
  }

  /** Whether the host has written a range; then that is reported. */
  private boolean isChanged(Watch watch) {
    int first = watch.content.mismatch(ByteBuffer.wrap(watch.expected));
    if (first < 0) {
      return false;
    }
    int last = first + 1;
    while (last < watch.expected.length && watch.content.get(last) != watch.expected[last]) {
      last++;
    }
    long start = watch.range.start() + first;
    long end = watch.range.start() + last;
    watch.change.noticed(start, end - start);
    Operation copy = watch.copies.get(0);
    reporter
        .find(HazardCode.HOST_RACE)
        .in(watch.range)
        .earlier(copy, AccessKind.READ, watch.range.start(), watch.range.end())
        .later(noticed.get(), AccessKind.WRITE, start, end)
        .missing(
            "the host does not wait for operation "
                + copy.index()
                + " before it writes byte "
                + first
                + " of what that copies; this was noticed later, so the line of the write is not known")
        .report("wait for the stream, or for an event recorded after the copy, before writing");
    return true;
  }
}
