package org.vramkit.pool.caching.internal.flight;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.OutOfMemoryReport;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.LeakReport;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.caching.internal.flight.FlightEvents.GrowEvent;
import org.vramkit.pool.caching.internal.flight.FlightEvents.LeakEvent;
import org.vramkit.pool.caching.internal.flight.FlightEvents.MoveEvent;
import org.vramkit.pool.caching.internal.flight.FlightEvents.OutOfMemoryEvent;
import org.vramkit.pool.caching.internal.flight.FlightEvents.TrimEvent;
import org.vramkit.pool.caching.internal.flight.FlightEvents.WaitEvent;
import org.vramkit.pool.support.Streams;

/**
 * Emits events of an allocator. Called only while there is a recording. An event that no recording
 * enables costs an object that escape analysis removes.
 */
final class FlightObserver implements PoolObserver {
  private final int device;
  private final long allocator;

  FlightObserver(int device, long allocator) {
    this.device = device;
    this.allocator = allocator;
  }

  @Override
  public Span begin(Work work, @Nullable Stream stream) {
    return switch (work) {
      case GROW -> beginGrowth(stream);
      case TRIM -> beginTrim();
      case WAIT -> beginWait(stream);
    };
  }

  /** Begins growth, which emits up to two events: memory taken and memory moved. */
  private Span beginGrowth(@Nullable Stream stream) {
    GrowEvent grow = new GrowEvent();
    MoveEvent move = new MoveEvent();
    if (!grow.isEnabled() && !move.isEnabled()) {
      return Span.NONE;
    }
    grow.begin();
    move.begin();
    return (bytes, movedBytes) -> {
      grow.end();
      move.end();
      grow.emit(bytes, nameOf(stream), device, allocator);
      move.emit(movedBytes, nameOf(stream), device, allocator);
    };
  }

  private Span beginTrim() {
    TrimEvent trim = new TrimEvent();
    if (!trim.isEnabled()) {
      return Span.NONE;
    }
    trim.begin();
    return (bytes, movedBytes) -> {
      trim.end();
      if (bytes > 0 && trim.shouldCommit()) {
        trim.bytes = bytes;
        trim.emit(device, allocator);
      }
    };
  }

  private Span beginWait(@Nullable Stream stream) {
    WaitEvent wait = new WaitEvent();
    if (!wait.isEnabled()) {
      return Span.NONE;
    }
    wait.begin();
    return (bytes, movedBytes) -> {
      wait.end();
      if (wait.shouldCommit()) {
        wait.stream = nameOf(stream);
        wait.emit(device, allocator);
      }
    };
  }

  @Override
  public void outOfMemory(OutOfMemoryReport report) {
    OutOfMemoryEvent event = new OutOfMemoryEvent();
    if (event.shouldCommit()) {
      event.fill(report);
      event.emit(device, allocator);
    }
  }

  @Override
  public void leaked(LeakReport leak) {
    LeakEvent event = new LeakEvent();
    if (event.shouldCommit()) {
      event.fill(leak);
      event.emit(device, allocator);
    }
  }

  private static String nameOf(@Nullable Stream stream) {
    return stream == null ? "" : Streams.nameOf(stream);
  }
}
