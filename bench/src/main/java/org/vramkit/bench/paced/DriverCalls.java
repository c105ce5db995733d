package org.vramkit.bench.paced;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.cuda.CudaBackend;
import org.vramkit.cuda.DriverCallMeter;

/**
 * What calls of the driver took during passes: the allocator's, and those by which the player ends
 * a pass.
 *
 * @param calls how many
 * @param micros how long one took, on the average
 */
record DriverCalls(long calls, double micros) {
  /** What the player does for each block, or whoever calls the driver for each call. */
  private static final Set<String> NOT_OF_ALLOCATORS =
      Set.of("cuCtxGetCurrent", "cuCtxSetCurrent", "cuMemsetD8Async", "cuStreamSynchronize");

  /** Measures from now on; null where the backend is none of CUDA's. */
  static @Nullable DriverCallMeter measure(Device device) {
    return device.getBackend() instanceof CudaBackend cuda ? cuda.measure() : null;
  }

  /** By the driver's name of the function; empty where nothing was measured. */
  static Map<String, DriverCalls> of(@Nullable DriverCallMeter meter) {
    Map<String, DriverCalls> found = new TreeMap<>();
    if (meter != null) {
      Map<String, Long> nanos = meter.getNanos();
      meter
          .getCounts()
          .forEach(
              (call, count) ->
                  found.put(
                      call, new DriverCalls(count, nanos.getOrDefault(call, 0L) / 1e3 / count)));
      found.keySet().removeAll(NOT_OF_ALLOCATORS);
    }
    return found;
  }
}
