package org.vramkit.tools.replay;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

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
}
