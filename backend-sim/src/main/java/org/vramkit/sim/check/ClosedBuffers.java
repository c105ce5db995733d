package org.vramkit.sim.check;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;

/**
 * Page-locked memory that was given back to the host, or to a pool, while Java still has views of
 * it: what is written through one is found by comparison, when reports are asked for or a pool
 * hands the memory out again. Reads are not.
 */
final class ClosedBuffers {
  /** How many bytes are kept; beyond it the oldest buffers are let go. */
  private static final long KEPT_BYTES = 64L << 20;

  /** What one takes beside its content, with where it was closed. */
  private static final long OVERHEAD_BYTES = 1024;

  private static final class Closed extends WatchedBytes {
    private final Operation close;

    Closed(PinnedRange range, ByteBuffer content, Operation close) {
      super(range, content);
      this.close = close;
    }
  }

  private final Reports reports;
  private final Supplier<Operation> noticed;
  private final Deque<Closed> buffers = new ArrayDeque<>();
  private long kept;

  /** A write that is noticed needs an operation of the host that stands for it. */
  ClosedBuffers(Reports reports, Supplier<Operation> noticed) {
    this.reports = reports;
    this.noticed = noticed;
  }

  void add(PinnedRange range, ByteBuffer content, Operation close) {
    forget(range.start(), range.end());
    if (content.remaining() > KEPT_BYTES) {
      return;
    }
    Closed buffer = new Closed(range, content, close);
    buffers.add(buffer);
    kept += bytesOf(buffer);
    while (kept > KEPT_BYTES) {
      Closed oldest = buffers.remove();
      kept -= bytesOf(oldest);
      isWritten(oldest);
    }
  }

  private static long bytesOf(Closed buffer) {
    return buffer.size() + OVERHEAD_BYTES;
  }

  /** A range has a new owner, or is given back: a last look at what was closed there before. */
  void forget(long start, long end) {
    buffers.removeIf(
        buffer -> {
          boolean ends = buffer.overlaps(start, end);
          if (ends) {
            isWritten(buffer);
            kept -= bytesOf(buffer);
          }
          return ends;
        });
  }

  void look() {
    buffers.removeIf(
        buffer -> {
          boolean written = isWritten(buffer);
          kept -= written ? bytesOf(buffer) : 0;
          return written;
        });
  }

  /** Looks a last time, and keeps none. */
  void forgetAll() {
    look();
    buffers.clear();
    kept = 0;
  }

  /** Work that was queued before a close writes a range: no fault of the host's. */
  void written(long start, long end, Runnable write) {
    List<Closed> concerned =
        buffers.stream()
            .filter(each -> each.overlaps(start, end))
            .filter(each -> !isWritten(each))
            .toList();
    write.run();
    concerned.forEach(Closed::expectAsItIs);
  }

  private boolean isWritten(Closed buffer) {
    int first = buffer.firstChange();
    if (first < 0) {
      return false;
    }
    long start = buffer.range.start() + first;
    reports
        .find(HazardCode.USE_AFTER_FREE)
        .in(buffer.range)
        .earlier(buffer.close, AccessKind.FREE, buffer.range.start(), buffer.range.end())
        .later(noticed.get(), AccessKind.WRITE, start, start + 1)
        .missing(
            ("the buffer was closed before byte %s was written; this was noticed later, so the line"
                    + " of the write is not known")
                .formatted(first))
        .report("close the buffer after the last use of its views");
    return true;
  }
}
