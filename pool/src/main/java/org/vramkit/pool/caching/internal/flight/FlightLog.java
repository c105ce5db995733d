package org.vramkit.pool.caching.internal.flight;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.internal.event.PoolObserver;

/**
 * Connects an allocator to the flight recorder and to JMX. Does nothing in a JVM without {@code
 * jdk.jfr}: this class and {@link FlightRecording} refer to none of its classes, and classes that
 * do are loaded only if it is present. Thread-safe.
 */
public final class FlightLog implements AutoCloseable {
  /** The system property with the number of open allocators. */
  public static final String OPEN_PROPERTY = "vramkit.open-allocators";

  private static final AtomicLong NUMBERS = new AtomicLong();
  private static final OpenCount OPEN = new OpenCount();

  final Device device;
  final Supplier<AllocatorStatistics> statistics;

  /** The MXBean of the allocator. */
  final Object bean;

  /** The number of the allocator in this JVM. */
  final long number = NUMBERS.incrementAndGet();

  private final PoolObserver observer;

  /** True if the allocator is open. Guarded by the monitor. */
  private boolean open;

  /** Creates a log that is not started. */
  public FlightLog(Device device, Supplier<AllocatorStatistics> statistics, Object bean) {
    this.device = device;
    this.statistics = statistics;
    this.bean = bean;
    this.observer = FlightRecording.observer(device.getOrdinal(), number);
  }

  /**
   * Returns the observer that emits events; {@link PoolObserver#NONE} without a flight recorder.
   */
  public PoolObserver observer() {
    return observer;
  }

  /** Starts to emit statistics when a recording asks for them. */
  public void start() {
    OPEN.change(1);
    synchronized (this) {
      open = true;
    }
    FlightRecording.start(this);
  }

  /** Stops to emit statistics. A log that is garbage collected stops too. */
  @Override
  public void close() {
    synchronized (this) {
      open = false;
    }
    FlightRecording.end(this);
    OPEN.change(-1);
  }

  /** Runs an action unless the log is closed; the close waits for it. */
  synchronized void whileOpen(Runnable action) {
    if (open) {
      action.run();
    }
  }

  /**
   * The number of open allocators as a system property, which tools read from outside without
   * starting anything in this JVM.
   */
  private static final class OpenCount {
    private long open;

    synchronized void change(int more) {
      open += more;
      System.setProperty(OPEN_PROPERTY, Long.toString(open));
    }
  }
}
