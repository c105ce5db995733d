package org.vramkit.pool.caching.internal.history;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.OutOfMemoryReport;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.HistoryEvent.Action;
import org.vramkit.pool.caching.internal.event.PoolObserver;

/** Notes what happens beside the hot path, for all threads and pools in one place. */
public final class HistoryObserver implements PoolObserver {
  private final HistoryWriter writer;

  /** Writes into a ring. */
  public HistoryObserver(HistoryRing ring) {
    this.writer = ring.newWriter();
  }

  private synchronized void note(Action action, long address, long bytes, long stream, String tag) {
    writer.happened(action, address, bytes, stream, tag);
  }

  @Override
  public Span begin(Work work, @Nullable Stream stream) {
    long handle = stream == null ? 0 : stream.getHandle();
    return work == Work.WAIT
        ? (bytes, movedBytes) -> note(Action.WAIT, 0, 0, handle, "")
        : Span.NONE;
  }

  @Override
  public void mapped(long address, long bytes, boolean moved) {
    note(moved ? Action.MOVE : Action.GROW, address, bytes, 0, "");
  }

  @Override
  public void unmapped(long address, long bytes) {
    note(Action.UNMAP, address, bytes, 0, "");
  }

  @Override
  public void givenBack(long address, long bytes) {
    note(Action.TRIM, address, bytes, 0, "");
  }

  @Override
  public void freeCompleted(long address, long bytes, Stream stream, String tag) {
    note(Action.FREE_COMPLETED, address, bytes, stream.getHandle(), tag);
  }

  @Override
  public void outOfMemory(OutOfMemoryReport report) {
    note(Action.OUT_OF_MEMORY, 0, report.requestedBytes(), handleOf(report.stream()), report.tag());
  }

  private static long handleOf(String hexadecimal) {
    return Long.parseUnsignedLong(hexadecimal.substring(2), 16);
  }
}
