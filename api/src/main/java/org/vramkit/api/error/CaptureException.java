package org.vramkit.api.error;

import java.util.Objects;

/**
 * A call cannot be captured, or does not go with a capture that is under way. The message names the
 * call, the reason and the remedy.
 */
public class CaptureException extends GpuException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception without a driver call.
   *
   * @param message which call, why it cannot be captured, what to do
   */
  public CaptureException(String message) {
    super(message, DriverStatus.NONE, null);
  }

  /**
   * Creates the exception for a failed driver call; the reason and the remedy are those of the
   * status.
   *
   * @param wanted what cannot be done
   * @param status what the driver said
   */
  public CaptureException(String wanted, DriverStatus status) {
    super(wanted + ": " + reason(Objects.requireNonNull(status, "status").code()), status, null);
  }

  /**
   * Returns whether a driver's status is about captures.
   *
   * @param code the driver's number
   */
  public static boolean isAbout(int code) {
    return code >= DriverStatus.STREAM_CAPTURE_UNSUPPORTED
        && code <= DriverStatus.STREAM_CAPTURE_WRONG_THREAD;
  }

  private static String reason(int code) {
    return switch (code) {
      case DriverStatus.STREAM_CAPTURE_INVALIDATED ->
          "an earlier call has spoilt the capture; end it, and capture anew without that call";
      case DriverStatus.STREAM_CAPTURE_MERGE ->
          "it would join two captures; capture all of it from one stream";
      case DriverStatus.STREAM_CAPTURE_UNMATCHED ->
          "no capture began on this stream; end it on the stream where it began";
      case DriverStatus.STREAM_CAPTURE_UNJOINED ->
          "a stream that was drawn into the capture was not joined; record an event behind its last"
              + " work, and let the stream where the capture began wait for it before the end";
      case DriverStatus.STREAM_CAPTURE_ISOLATION ->
          "captured work cannot wait for work outside of the capture; let the stream on which the"
              + " graph is launched wait for it, before the launch";
      case DriverStatus.STREAM_CAPTURE_IMPLICIT ->
          "the default stream waits for blocking streams, and one of them is captured; use another"
              + " stream meanwhile, or capture a NON_BLOCKING one";
      case DriverStatus.CAPTURED_EVENT ->
          "the event was last recorded in a capture, where nothing runs; record it on the stream on"
              + " which the graph was launched";
      case DriverStatus.STREAM_CAPTURE_WRONG_THREAD ->
          "another thread began the capture; end it on that thread";
      default ->
          "captured work does not run before a graph is launched, and what is no work of a stream"
              + " cannot be captured; do it before the capture begins or after it has ended";
    };
  }
}
