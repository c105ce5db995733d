package org.vramkit.partition.scatter;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Devices that get no more work because they failed, for a time. Safe for any thread. */
final class Quarantine {
  /** When each came in. */
  private final Map<Integer, Long> since = new ConcurrentHashMap<>();

  private final long nanos;
  private final Pace pace;

  Quarantine(Duration time, Pace pace) {
    this.nanos = Remainder.nanos(time);
    this.pace = pace;
  }

  void add(int ordinal) {
    since.put(ordinal, pace.nanoTime());
  }

  void lift(int ordinal) {
    since.remove(ordinal);
  }

  boolean contains(int ordinal) {
    return getOrdinals().contains(ordinal);
  }

  /** Returns the devices in it now, in order. */
  List<Integer> getOrdinals() {
    long now = pace.nanoTime();
    since.values().removeIf(begun -> now - begun >= nanos);
    return since.keySet().stream().sorted().toList();
  }
}
