package org.vramkit.sim.check;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;

/**
 * Finds writes through Java views to page-locked memory that was returned to the host or to a pool.
 * The bytes are compared when reports are requested or a pool reuses the memory. Reads are not
 * found.
 */
final class ClosedBuffers {
  /** Limit on the kept bytes; beyond it the oldest buffers are dropped. */
  private static final long KEPT_BYTES = 64L << 20;

  /** Size of an entry without its content. */
  private static final long OVERHEAD_BYTES = 1024;

  private static final class Closed extends WatchedBytes {
    private final Operation close;

    Closed(PinnedRange range, ByteBuffer content, Operation close) {
      super(range, content);
      this.close = close;
    }
  }

  private final Reports reports;
  private final Operation.Factory operations;
  private final Deque<Closed> buffers = new ArrayDeque<>();
  private long kept;

  ClosedBuffers(Reports reports, Operation.Factory operations) {
    this.reports = reports;
    this.operations = operations;
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

  /** Compares a last time when a range gets a new owner or is returned. */
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

  /** Compares a last time, and drops all. */
  void forgetAll() {
    look();
    buffers.clear();
    kept = 0;
  }

  /** Performs a write of work that was queued before a close, which is no fault of the host. */
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
        .later(operations.noticedWrite(), AccessKind.WRITE, start, start + 1)
        .missing(
            ("the buffer was closed before byte %s was written; the write was noticed later, so"
                    + " its line is not known")
                .formatted(first))
        .report("close the buffer after the last use of its views");
    return true;
  }
}
