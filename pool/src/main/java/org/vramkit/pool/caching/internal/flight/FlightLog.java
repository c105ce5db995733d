package org.vramkit.pool.caching.internal.flight;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.internal.event.PoolObserver;

/**
 * What the flight recorder is told of one allocator; nothing in a JVM that has none ({@code
 * jdk.jfr}). This class and {@link FlightRecording} name none of its classes: those that do are
 * loaded only where it is there. Safe for any thread.
 */
public final class FlightLog implements AutoCloseable {
  private static final AtomicLong NUMBERS = new AtomicLong();

  final Device device;
  final Supplier<AllocatorStatistics> statistics;

  /** Tells allocators of a JVM apart. */
  final long number = NUMBERS.incrementAndGet();

  private final PoolObserver observer;

  /**
   * A log that tells no statistics yet.
   *
   * @param statistics the figures of a moment, asked for by any thread once it is started
   */
  public FlightLog(Device device, Supplier<AllocatorStatistics> statistics) {
    this.device = device;
    this.statistics = statistics;
    this.observer = FlightRecording.observer(device.getOrdinal(), number);
  }

  /** Who tells of what happens; {@link PoolObserver#NONE} without a flight recorder. */
  public PoolObserver observer() {
    return observer;
  }

  /** From now on statistics are told of whenever a recording asks for them. */
  public void start() {
    FlightRecording.start(this);
  }

  /** Statistics are told of no more. A log that is dropped instead is forgotten too. */
  @Override
  public void close() {
    FlightRecording.end(this);
  }
}
