package org.vramkit.tools.replay;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What an allocator cost at the driver.
 *
 * @param calls how many calls by the driver's name of the function
 * @param estimatedNanos what a real driver would take for them, by the simulator's cost model
 */
public record DriverFigures(Map<String, Long> calls, long estimatedNanos) {

  /** Copies the map and keeps its order. */
  public DriverFigures {
    calls = Collections.unmodifiableMap(new LinkedHashMap<>(calls));
  }
}
