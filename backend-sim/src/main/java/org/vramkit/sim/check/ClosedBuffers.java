package org.vramkit.sim.check;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.vramkit.sim.check.report.Operation;
import org.vramkit.sim.check.report.PinnedRange;
import org.vramkit.sim.check.report.Reporter;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;

/**
 * Page-locked memory that was given back, while Java still has views of it: what is written through
 * one is found by comparison, when reports are asked for. Reads are not.
 */
final class ClosedBuffers {
  /** How many bytes are kept; beyond it the oldest buffers are let go. */
  private static final long KEPT_BYTES = 64L << 20;

  /** A buffer as it was when it was given back. */
  private static final class Closed {
    final PinnedRange range;
    final ByteBuffer content;
    final byte[] expected;
    final Operation close;

    Closed(PinnedRange range, ByteBuffer content, Operation close) {
      this.range = range;
      this.content = content;
      this.expected = new byte[content.remaining()];
      this.close = close;
      content.get(content.position(), expected);
    }
  }

  private final Reporter reporter;
  private final Supplier<Operation> noticed;
  private final Deque<Closed> buffers = new ArrayDeque<>();
  private long kept;

  /**
   * None as yet.
   *
   * @param noticed an operation of the host that stands for a write that was noticed
   */
  ClosedBuffers(Reporter reporter, Supplier<Operation> noticed) {
    this.reporter = reporter;
    this.noticed = noticed;
  }

  /** A buffer was given back. */
  void add(PinnedRange range, ByteBuffer content, Operation close) {
    if (content.remaining() > KEPT_BYTES) {
      return;
    }
    Closed buffer = new Closed(range, content, close);
    buffers.add(buffer);
    kept += buffer.expected.length;
    while (kept > KEPT_BYTES) {
      Closed oldest = buffers.remove();
      kept -= oldest.expected.length;
      isWritten(oldest);
    }
  }

  /** Looks what was written since. */
  void look() {
    buffers.removeIf(
        buffer -> {
          boolean written = isWritten(buffer);
          kept -= written ? buffer.expected.length : 0;
          return written;
        });
  }

  /** Work that was queued before a close writes a range: no fault of the host's. */
  void written(long start, long end, Runnable write) {
    List<Closed> concerned =
        buffers.stream()
            .filter(each -> each.range.start() < end && start < each.range.end())
            .filter(each -> !isWritten(each))
            .toList();
    write.run();
    concerned.forEach(each -> each.content.get(each.content.position(), each.expected));
  }

  private boolean isWritten(Closed buffer) {
    int first = buffer.content.mismatch(ByteBuffer.wrap(buffer.expected));
    if (first < 0) {
      return false;
    }
    long start = buffer.range.start() + first;
    reporter
        .find(HazardCode.USE_AFTER_FREE)
        .in(buffer.range)
        .earlier(buffer.close, AccessKind.FREE, buffer.range.start(), buffer.range.end())
        .later(noticed.get(), AccessKind.WRITE, start, start + 1)
        .missing(
            "the buffer was closed before byte "
                + first
                + " was written; this was noticed later, so the line of the write is not known")
        .report("close the buffer after the last use of its views");
    return true;
  }
}
