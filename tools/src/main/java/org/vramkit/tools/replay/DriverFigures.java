package org.vramkit.tools.replay;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an allocator cost at the driver.
 *
 * @param calls how many calls by the driver's name of the function
 * @param estimatedNanos on the simulator what a real driver would take for them, by its cost model;
 *     on a CUDA backend what they took
 * @param nanos the same by the name of the function
 */
public record DriverFigures(Map<String, Long> calls, long estimatedNanos, Map<String, Long> nanos) {

  /** Copies the maps and keeps their order. */
  public DriverFigures {
    calls = Collections.unmodifiableMap(new LinkedHashMap<>(calls));
    nanos = Collections.unmodifiableMap(new LinkedHashMap<>(nanos));
  }

  /** What was added to earlier figures, without functions that were not called since. */
  DriverFigures since(@Nullable DriverFigures earlier) {
    return earlier == null
        ? this
        : new DriverFigures(
            difference(calls, earlier.calls),
            estimatedNanos - earlier.estimatedNanos,
            difference(nanos, earlier.nanos));
  }

  private static Map<String, Long> difference(Map<String, Long> now, Map<String, Long> then) {
    Map<String, Long> added = new LinkedHashMap<>();
    now.forEach(
        (call, value) -> {
          long before = then.getOrDefault(call, 0L);
          if (value > before) {
            added.put(call, value - before);
          }
        });
    return added;
  }
}
