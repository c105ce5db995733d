package org.vramkit.partition.scatter;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Devices that get no work for a time because they failed. Safe for any thread. */
final class Quarantine {
  /** The time at which each device was added, in nanoseconds, by ordinal. */
  private final Map<Integer, Long> since = new ConcurrentHashMap<>();

  private final long nanos;
  private final ScatterClock clock;

  Quarantine(Duration time, ScatterClock clock) {
    this.nanos = PendingUnits.nanos(time);
    this.clock = clock;
  }

  void add(int ordinal) {
    since.put(ordinal, clock.nanoTime());
  }

  void lift(int ordinal) {
    since.remove(ordinal);
  }

  boolean contains(int ordinal) {
    return getOrdinals().contains(ordinal);
  }

  /** Returns the ordinals of the quarantined devices in ascending order. */
  List<Integer> getOrdinals() {
    long now = clock.nanoTime();
    since.values().removeIf(begun -> now - begun >= nanos);
    return since.keySet().stream().sorted().toList();
  }
}
