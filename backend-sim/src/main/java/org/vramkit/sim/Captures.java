package org.vramkit.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.sim.driver.DriverFunction;

/** The captures in progress, and the calls that invalidate them. Guarded by the backend's lock. */
final class Captures {
  private final List<Capture> all = new ArrayList<>();

  /** The graphs of each device, by its ordinal. */
  final List<SimGraphs> graphs = new ArrayList<>();

  /** Number of open relaxations of each thread. */
  private final Map<Thread, Integer> relaxed = new HashMap<>();

  void begin(StreamQueue origin, Capture.Mode mode) {
    all.add(new Capture(origin, mode));
  }

  /** Refuses a call that cannot be captured. */
  static void requireUncaptured(StreamQueue stream, String wanted, String remedy) {
    if (stream.capture != null) {
      throw new CaptureException(
          "cannot " + wanted + " on " + stream + " while it is captured; " + remedy);
    }
  }

  void end(Capture capture) {
    capture.end();
    all.remove(capture);
  }

  void relax(int change) {
    relaxed.merge(Thread.currentThread(), change, Integer::sum);
    relaxed.values().removeIf(count -> count == 0);
  }

  boolean isCapturing(Thread thread) {
    return !all.isEmpty() && all.stream().anyMatch(capture -> capture.isOf(thread));
  }

  /** Refuses calls that are unsafe on a thread that is capturing a stream. */
  void requireSafe(DriverFunction function) {
    if (!all.isEmpty()) {
      Thread caller = Thread.currentThread();
      if (!relaxed.containsKey(caller)) {
        refuseIfAny(
            capture -> capture.refuses(caller),
            DriverStatus.STREAM_CAPTURE_UNSUPPORTED,
            function,
            "cannot call " + function.getFunctionName() + " while a stream is captured");
      }
    }
  }

  void requireNoneOf(int device, DriverFunction function) {
    refuseIfAny(
        capture -> capture.concerns(device, null),
        DriverStatus.STREAM_CAPTURE_UNSUPPORTED,
        function,
        "cannot wait for simulated device "
            + device
            + " while one of its streams is being captured");
  }

  /** Refuses a use of the default stream that would wait for a captured stream. */
  void requireNoneBlocking(StreamQueue stream, DriverFunction function) {
    if (isOrderedWithCapture(stream)) {
      refuseIfAny(
          capture -> capture.concerns(stream.device, StreamKind.BLOCKING),
          DriverStatus.STREAM_CAPTURE_IMPLICIT,
          function,
          "cannot use " + stream);
    }
  }

  /**
   * Like {@link #requireNoneBlocking}, for calls before which the CUDA backends ask whether the
   * stream is captured: the refusal of that question leaves captures valid.
   */
  void requireNoneBlockingKeeping(StreamQueue stream) {
    if (isOrderedWithCapture(stream)) {
      throw refusal(
          DriverStatus.STREAM_CAPTURE_IMPLICIT,
          DriverFunction.STREAM_IS_CAPTURING,
          "cannot use " + stream);
    }
  }

  boolean isOrderedWithCapture(StreamQueue stream) {
    return !all.isEmpty()
        && stream.isDefault()
        && all.stream().anyMatch(each -> each.concerns(stream.device, StreamKind.BLOCKING));
  }

  private void refuseIfAny(
      Predicate<Capture> concerned, int code, DriverFunction function, String wanted) {
    List<Capture> invalidated = all.stream().filter(concerned).toList();
    if (!invalidated.isEmpty()) {
      invalidated.forEach(Capture::invalidate);
      throw refusal(code, function, wanted);
    }
  }

  static void requireValid(Capture capture, DriverFunction function, Object stream) {
    if (capture.isInvalidated()) {
      throw refusal(
          DriverStatus.STREAM_CAPTURE_INVALIDATED,
          function,
          "cannot continue the capture of " + stream);
    }
  }

  /** Invalidates a capture; returns the exception for the refused call. */
  static CaptureException invalidate(
      Capture capture, int code, DriverFunction function, String wanted) {
    capture.invalidate();
    return refusal(code, function, wanted);
  }

  static CaptureException refusal(int code, DriverFunction function, String wanted) {
    return new CaptureException(
        wanted, new DriverStatus(code, name(code), function.getFunctionName()));
  }

  private static String name(int code) {
    return switch (code) {
      case DriverStatus.STREAM_CAPTURE_UNSUPPORTED -> "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED";
      case DriverStatus.STREAM_CAPTURE_INVALIDATED -> "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED";
      case DriverStatus.STREAM_CAPTURE_MERGE -> "CUDA_ERROR_STREAM_CAPTURE_MERGE";
      case DriverStatus.STREAM_CAPTURE_UNMATCHED -> "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED";
      case DriverStatus.STREAM_CAPTURE_UNJOINED -> "CUDA_ERROR_STREAM_CAPTURE_UNJOINED";
      case DriverStatus.STREAM_CAPTURE_ISOLATION -> "CUDA_ERROR_STREAM_CAPTURE_ISOLATION";
      case DriverStatus.STREAM_CAPTURE_IMPLICIT -> "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT";
      case DriverStatus.CAPTURED_EVENT -> "CUDA_ERROR_CAPTURED_EVENT";
      default -> "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD";
    };
  }
}
