package org.vramkit.pool.caching.internal.flight;

import org.vramkit.pool.caching.internal.event.PoolObserver;

/** Calls the flight recorder and JMX if this JVM has them. */
final class FlightRecording {
  private static final boolean PRESENT = isPresent("jdk.jfr.Event");
  private static final boolean MANAGED =
      isPresent("javax.management.MBeanServer")
          && isPresent("java.lang.management.ManagementFactory");

  private FlightRecording() {}

  /** Returns whether the run-time image has a class and this module can read it. */
  private static boolean isPresent(String name) {
    try {
      Class<?> type = Class.forName(name, false, FlightRecording.class.getClassLoader());
      return FlightRecording.class.getModule().canRead(type.getModule());
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  static PoolObserver observer(int device, long allocator) {
    return PRESENT ? new FlightObserver(device, allocator) : PoolObserver.NONE;
  }

  static void start(FlightLog log) {
    manage(log);
    if (PRESENT) {
      FlightStatistics.add(log);
    }
  }

  static void end(FlightLog log) {
    if (PRESENT) {
      FlightStatistics.remove(log);
    }
    forget(log.device.getOrdinal(), log.number);
  }

  /** Registers the MXBean of an open allocator. */
  static void manage(FlightLog log) {
    if (MANAGED) {
      log.whileOpen(() -> ManagementBeans.add(log));
    }
  }

  static void forget(int device, long number) {
    if (MANAGED) {
      ManagementBeans.remove(device, number);
    }
  }
}
