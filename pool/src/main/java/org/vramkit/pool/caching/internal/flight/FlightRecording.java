package org.vramkit.pool.caching.internal.flight;

import org.vramkit.pool.caching.internal.event.PoolObserver;

/** Whether this JVM has a flight recorder. */
final class FlightRecording {
  private static final boolean PRESENT = isPresent();

  private FlightRecording() {}

  /** It may be missing from the run-time image, or this module may be without it. */
  private static boolean isPresent() {
    try {
      Class<?> event =
          Class.forName("jdk.jfr.Event", false, FlightRecording.class.getClassLoader());
      return FlightRecording.class.getModule().canRead(event.getModule());
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  static PoolObserver observer(int device, long allocator) {
    return PRESENT ? new FlightObserver(device, allocator) : PoolObserver.NONE;
  }

  static void start(FlightLog log) {
    if (PRESENT) {
      FlightStatistics.add(log);
    }
  }

  static void end(FlightLog log) {
    if (PRESENT) {
      FlightStatistics.remove(log);
    }
  }
}
