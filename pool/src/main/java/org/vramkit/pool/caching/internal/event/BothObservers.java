package org.vramkit.pool.caching.internal.event;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.OutOfMemoryReport;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.LeakReport;

/** Tells two, one after the other. */
record BothObservers(PoolObserver first, PoolObserver second) implements PoolObserver {
  @Override
  public Span begin(Work work, @Nullable Stream stream) {
    Span one = first.begin(work, stream);
    Span other = second.begin(work, stream);
    return (bytes, movedBytes) -> {
      one.end(bytes, movedBytes);
      other.end(bytes, movedBytes);
    };
  }

  @Override
  public void mapped(long address, long bytes, boolean moved) {
    first.mapped(address, bytes, moved);
    second.mapped(address, bytes, moved);
  }

  @Override
  public void unmapped(long address, long bytes) {
    first.unmapped(address, bytes);
    second.unmapped(address, bytes);
  }

  @Override
  public void givenBack(long address, long bytes) {
    first.givenBack(address, bytes);
    second.givenBack(address, bytes);
  }

  @Override
  public void freeCompleted(long address, long bytes, Stream stream, String tag) {
    first.freeCompleted(address, bytes, stream, tag);
    second.freeCompleted(address, bytes, stream, tag);
  }

  @Override
  public void outOfMemory(OutOfMemoryReport report) {
    first.outOfMemory(report);
    second.outOfMemory(report);
  }

  @Override
  public void leaked(LeakReport leak) {
    first.leaked(leak);
    second.leaked(leak);
  }
}
