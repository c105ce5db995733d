package org.vramkit.tools.replay;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.cuda.DriverCallMeter;

/**
 * Driver calls of an allocator and their time.
 *
 * @param calls number of calls by driver function
 * @param estimatedNanos total time in nanoseconds: estimated by the simulator's cost model, or
 *     measured on a CUDA backend
 * @param nanos time in nanoseconds by driver function
 */
public record DriverFigures(Map<String, Long> calls, long estimatedNanos, Map<String, Long> nanos) {

  /**
   * Functions excluded from the figures: the replay's own fills, and context lookups, which the
   * simulator does not model.
   */
  private static final Set<String> NOT_OF_MEMORY =
      Set.of("cuMemsetD8Async", "cuCtxGetCurrent", "cuCtxSetCurrent");

  /** Functions that allocate device memory. */
  private static final Set<String> ALLOCATING =
      Set.of("cuMemAlloc", "cuMemAllocAsync", "cuMemAllocFromPoolAsync", "cuMemCreate");

  /** Copies the maps and keeps their order. */
  public DriverFigures {
    calls = Collections.unmodifiableMap(new LinkedHashMap<>(calls));
    nanos = Collections.unmodifiableMap(new LinkedHashMap<>(nanos));
  }

  /** Returns the figures of a CUDA backend's meter. */
  public static DriverFigures of(DriverCallMeter meter) {
    Map<String, Long> counts = new TreeMap<>(meter.getCounts());
    Map<String, Long> nanos = new TreeMap<>(meter.getNanos());
    counts.keySet().removeAll(NOT_OF_MEMORY);
    nanos.keySet().removeAll(NOT_OF_MEMORY);
    return new DriverFigures(
        counts, nanos.values().stream().mapToLong(Long::longValue).sum(), nanos);
  }

  /** Returns the number of calls that allocated device memory. */
  public long getAllocations() {
    return ALLOCATING.stream().mapToLong(call -> calls.getOrDefault(call, 0L)).sum();
  }

  /** Returns the difference to earlier figures, omitting functions not called since. */
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
