package org.vramkit.tools.replay;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.cuda.DriverCallMeter;

/**
 * The cost of an allocator at the driver.
 *
 * @param calls how many calls by the driver's name of the function
 * @param estimatedNanos on the simulator what a real driver would take for them, by its cost model;
 *     on a CUDA backend what they took
 * @param nanos the same by the name of the function
 */
public record DriverFigures(Map<String, Long> calls, long estimatedNanos, Map<String, Long> nanos) {

  /**
   * Functions that an allocator does not call: those that fill blocks, and those by which calls
   * find their device, for which the simulator has no figures.
   */
  private static final Set<String> NOT_OF_MEMORY =
      Set.of("cuMemsetD8Async", "cuCtxGetCurrent", "cuCtxSetCurrent");

  /** The functions that take memory from the device. */
  private static final Set<String> ALLOCATING =
      Set.of("cuMemAlloc", "cuMemAllocAsync", "cuMemAllocFromPoolAsync", "cuMemCreate");

  /** Copies the maps and keeps their order. */
  public DriverFigures {
    calls = Collections.unmodifiableMap(new LinkedHashMap<>(calls));
    nanos = Collections.unmodifiableMap(new LinkedHashMap<>(nanos));
  }

  /** Returns the figures that a meter of a CUDA backend has measured so far. */
  public static DriverFigures of(DriverCallMeter meter) {
    Map<String, Long> counts = new TreeMap<>(meter.getCounts());
    Map<String, Long> nanos = new TreeMap<>(meter.getNanos());
    counts.keySet().removeAll(NOT_OF_MEMORY);
    nanos.keySet().removeAll(NOT_OF_MEMORY);
    return new DriverFigures(
        counts, nanos.values().stream().mapToLong(Long::longValue).sum(), nanos);
  }

  /** Counts the calls that took memory from the device. */
  public long getAllocations() {
    return ALLOCATING.stream().mapToLong(call -> calls.getOrDefault(call, 0L)).sum();
  }

  /** Returns the difference to earlier figures, without functions that were not called since. */
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
