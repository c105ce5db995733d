package org.vramkit.pool.caching.internal.history;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.OutOfMemoryReport;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.HistoryEvent.Action;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.support.Streams;

/** Writes the events of all threads and pools outside of the hot path. */
public final class HistoryObserver implements PoolObserver {
  private final HistoryRing ring;

  /** The writer of all pools, guarded by its monitor. */
  private final HistoryWriter writer;

  private final long pool;

  public HistoryObserver(HistoryRing ring) {
    this(ring, ring.newWriter(), 0);
  }

  private HistoryObserver(HistoryRing ring, HistoryWriter writer, long pool) {
    this.ring = ring;
    this.writer = writer;
    this.pool = pool;
  }

  @Override
  public PoolObserver ofPool(long number) {
    return new HistoryObserver(ring, writer, number);
  }

  private void note(Action action, long address, long bytes, long stream, String tag) {
    synchronized (writer) {
      writer.happened(pool, action, address, bytes, stream, tag);
    }
  }

  @Override
  public Span begin(Work work, @Nullable Stream stream) {
    if (work != Work.WAIT) {
      return Span.NONE;
    }
    long handle = stream == null ? 0 : stream.getHandle();
    if (stream != null) {
      ring.name(stream);
    }
    return (bytes, movedBytes) -> note(Action.WAIT, 0, 0, handle, "");
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
    note(
        Action.OUT_OF_MEMORY,
        0,
        report.requestedBytes(),
        Streams.handleOf(report.stream()),
        report.tag());
  }
}
