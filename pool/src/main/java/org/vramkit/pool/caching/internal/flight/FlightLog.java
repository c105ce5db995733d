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
  /** The system property with the number of allocators that are open. */
  public static final String OPEN_PROPERTY = "vramkit.open-allocators";

  private static final AtomicLong NUMBERS = new AtomicLong();
  private static final OpenCount OPEN = new OpenCount();

  final Device device;
  final Supplier<AllocatorStatistics> statistics;

  /** What management is given of the allocator. */
  final Object bean;

  /** Tells allocators of a JVM apart. */
  final long number = NUMBERS.incrementAndGet();

  private final PoolObserver observer;

  /** Whether statistics are told, and management may have the bean. Guarded by the monitor. */
  private boolean open;

  /**
   * A log that tells no statistics yet.
   *
   * @param statistics the figures of a moment, asked for by any thread once it is started
   * @param bean the allocator's bean for management, which does not keep the allocator alive
   */
  public FlightLog(Device device, Supplier<AllocatorStatistics> statistics, Object bean) {
    this.device = device;
    this.statistics = statistics;
    this.bean = bean;
    this.observer = FlightRecording.observer(device.getOrdinal(), number);
  }

  /** Who tells of what happens; {@link PoolObserver#NONE} without a flight recorder. */
  public PoolObserver observer() {
    return observer;
  }

  /** Reports statistics from now on, whenever a recording asks for them. */
  public void start() {
    OPEN.change(1);
    synchronized (this) {
      open = true;
    }
    FlightRecording.start(this);
  }

  /** Reports no statistics any more. A log that is dropped instead is forgotten too. */
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
   * How many allocators of this JVM are open, as a system property: tools read it from outside
   * without starting anything in this JVM.
   */
  private static final class OpenCount {
    private long open;

    synchronized void change(int more) {
      open += more;
      System.setProperty(OPEN_PROPERTY, Long.toString(open));
    }
  }
}
