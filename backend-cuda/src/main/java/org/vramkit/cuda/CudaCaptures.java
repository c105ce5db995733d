package org.vramkit.cuda;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The captures in progress of all devices of a backend, and the streams that have joined them. A
 * stream joins when it waits for an event that was recorded on a stream of the capture. Asks the
 * driver nothing, and so does not know the joins that another library makes.
 */
final class CudaCaptures {

  /** A capture in progress. */
  static final class Capture {
    private final CudaStream origin;

    /** By device, the number of its streams that have joined; a closed stream stays counted. */
    private final Map<CudaGraphs, Integer> devices = new HashMap<>();

    private Capture(CudaStream origin) {
      this.origin = origin;
    }

    private void count(CudaStream stream, int by) {
      CudaGraphs device = stream.device().graphs;
      int before = devices.getOrDefault(device, 0);
      devices.put(device, before + by);
      if (before + by == 0) {
        devices.remove(device);
      }
      if (before == 0 || before + by == 0) {
        device.captured(by);
      }
    }
  }

  /** Captures by the handles of their open streams. Written under the monitor. */
  private final Map<Long, Capture> byStream = new ConcurrentHashMap<>();

  boolean isAny() {
    return !byStream.isEmpty();
  }

  /** Returns the capture of a stream; null for none. */
  @Nullable Capture of(CudaStream stream) {
    return byStream.isEmpty() ? null : byStream.get(stream.getHandle());
  }

  synchronized void begin(CudaStream origin) {
    Capture capture = new Capture(origin);
    byStream.put(origin.getHandle(), capture);
    origin.device().graphs.begun(1);
    capture.count(origin, 1);
  }

  /** Adds a stream to a capture unless it has one; returns whether it was added. */
  synchronized boolean join(CudaStream stream, Capture capture) {
    boolean joins =
        byStream.get(capture.origin.getHandle()) == capture
            && byStream.putIfAbsent(stream.getHandle(), capture) == null;
    if (joins) {
      capture.count(stream, 1);
    }
    return joins;
  }

  /** Removes a stream that was added, because the driver has refused the wait. */
  synchronized void undoJoin(CudaStream stream) {
    Capture capture = byStream.remove(stream.getHandle());
    if (capture != null) {
      capture.count(stream, -1);
    }
  }

  /**
   * Removes a stream that is destroyed, or on which a capture began that has ended: a capture ends
   * with that stream.
   */
  synchronized void end(CudaStream stream) {
    Capture capture = byStream.remove(stream.getHandle());
    if (capture != null && capture.origin.equals(stream)) {
      byStream.values().removeIf(each -> each == capture);
      stream.device().graphs.begun(-1);
      capture.devices.keySet().forEach(each -> each.captured(-1));
    }
  }

  /** Returns the devices of the capture that began on a stream; if it is unknown, the stream's. */
  synchronized Set<CudaGraphs> devicesOf(CudaStream origin) {
    Capture capture = byStream.get(origin.getHandle());
    return capture == null ? Set.of(origin.device().graphs) : Set.copyOf(capture.devices.keySet());
  }
}
