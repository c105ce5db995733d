package org.vramkit.pool.caching.internal.history;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.OutOfMemoryReport;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.HistoryEvent.Action;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.support.Streams;

/**
 * Writes the events of a pool: those of thread caches, and as an observer all others. Thread-safe.
 *
 * @param pool the number of a private pool; 0 for none
 */
public record HistoryWriter(HistoryRing ring, long pool) implements PoolObserver {
  /** Returns this writer for the thread caches of a stream, whose name events show. */
  public HistoryWriter forStream(Stream stream) {
    ring.name(stream);
    return this;
  }

  @Override
  public PoolObserver ofPool(long number) {
    return number == pool ? this : new HistoryWriter(ring, number);
  }

  public void happened(Action action, long address, long bytes, long stream, String tag) {
    ring.write(ring.now(), action, address, bytes, stream, ring.originOf(tag), pool);
  }

  /** Writes the close of a block that no other stream used, which also completes its free. */
  public void freed(long address, long bytes, long stream, String tag) {
    long now = ring.now();
    long origin = ring.originOf(tag);
    ring.write(now, Action.FREE_REQUESTED, address, bytes, stream, origin, pool);
    ring.write(now, Action.FREE_COMPLETED, address, bytes, stream, origin, pool);
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
    return (bytes, movedBytes) -> happened(Action.WAIT, 0, 0, handle, "");
  }

  @Override
  public void mapped(long address, long bytes, boolean moved) {
    happened(moved ? Action.MOVE : Action.GROW, address, bytes, 0, "");
  }

  @Override
  public void unmapped(long address, long bytes) {
    happened(Action.UNMAP, address, bytes, 0, "");
  }

  @Override
  public void givenBack(long address, long bytes) {
    happened(Action.TRIM, address, bytes, 0, "");
  }

  @Override
  public void freeCompleted(long address, long bytes, Stream stream, String tag) {
    happened(Action.FREE_COMPLETED, address, bytes, stream.getHandle(), tag);
  }

  @Override
  public void outOfMemory(OutOfMemoryReport report) {
    long handle = Streams.handleOf(report.stream());
    happened(Action.OUT_OF_MEMORY, 0, report.requestedBytes(), handle, report.tag());
  }
}
