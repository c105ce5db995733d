package org.vramkit.pool.caching.internal.flight;

import java.util.function.Supplier;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Device;
import org.vramkit.api.flight.StatisticsPublisher;
import org.vramkit.pool.caching.internal.event.PoolObserver;

/**
 * Connects an allocator to the flight recorder and to JMX, if this JVM has them: this class refers
 * to none of their classes, and classes that do are loaded only if they are present. Thread-safe.
 */
public final class FlightLog implements AutoCloseable {
  private static final boolean RECORDED = isPresent("jdk.jfr.Event");
  private static final boolean MANAGED =
      isPresent("javax.management.MBeanServer")
          && isPresent("java.lang.management.ManagementFactory");

  /**
   * The system property with the number of allocators that are not closed, which tools read from
   * outside without starting anything in this JVM. An allocator that was dropped without a close
   * counts, because its memory stays reserved.
   */
  private static final String OPEN_PROPERTY = "vramkit.open-allocators";

  /** The system property with the number of the newest allocator. */
  private static final String NEWEST_PROPERTY = "vramkit.newest-allocator";

  final Device device;
  final Supplier<AllocatorStatistics> statistics;

  final Object bean;

  /** The number of the allocator in this JVM. */
  final long number = StatisticsPublisher.nextNumber(NEWEST_PROPERTY);

  private final PoolObserver observer;

  /** True if the allocator is open. Guarded by the monitor. */
  private boolean open;

  public FlightLog(Device device, Supplier<AllocatorStatistics> statistics, Object bean) {
    this.device = device;
    this.statistics = statistics;
    this.bean = bean;
    this.observer = RECORDED ? new FlightObserver(device.getOrdinal(), number) : PoolObserver.NONE;
  }

  /** Returns whether the run-time image has a class and this module can read it. */
  private static boolean isPresent(String name) {
    try {
      Class<?> type = Class.forName(name, false, FlightLog.class.getClassLoader());
      return FlightLog.class.getModule().canRead(type.getModule());
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /**
   * Returns the observer that emits events; {@link PoolObserver#NONE} without a flight recorder.
   */
  public PoolObserver observer() {
    return observer;
  }

  /** Starts to emit statistics when a recording asks for them. */
  public void start() {
    StatisticsPublisher.count(OPEN_PROPERTY, 1);
    synchronized (this) {
      open = true;
    }
    manage();
    if (RECORDED) {
      FlightStatistics.add(this);
    }
  }

  /** Stops to emit statistics. A log that is garbage collected stops too. */
  @Override
  public void close() {
    synchronized (this) {
      open = false;
    }
    if (RECORDED) {
      FlightStatistics.remove(this);
    }
    forget(number);
    StatisticsPublisher.count(OPEN_PROPERTY, -1);
  }

  /** Registers the MXBean unless the log is closed; the close waits for it. */
  synchronized void manage() {
    if (open && MANAGED) {
      ManagementBeans.add(this);
    }
  }

  /** Removes the MXBean of an allocator that was closed or garbage collected. */
  static void forget(long number) {
    if (MANAGED) {
      ManagementBeans.remove(number);
    }
  }
}
