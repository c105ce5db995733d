package org.vramkit.api.error;

import java.util.Objects;

/**
 * Thrown when a call cannot be captured or conflicts with a capture in progress. The message names
 * the call, the reason and the remedy.
 */
public class CaptureException extends GpuException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception without a driver call.
   *
   * @param message the call, why it cannot be captured, and the remedy
   */
  public CaptureException(String message) {
    super(message, DriverStatus.NONE, null);
  }

  /**
   * Creates the exception for a failed driver call, with the reason and the remedy for its status.
   *
   * @param wanted the action that failed
   * @param status the driver's status
   */
  public CaptureException(String wanted, DriverStatus status) {
    super(wanted + ": " + reason(Objects.requireNonNull(status, "status").code()), status, null);
  }

  /**
   * Returns whether a driver's status code belongs to stream capture.
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
          "an earlier call has invalidated the capture; end it, and capture again without that"
              + " call";
      case DriverStatus.STREAM_CAPTURE_MERGE ->
          "the call would join two captures; capture all work from one stream";
      case DriverStatus.STREAM_CAPTURE_UNMATCHED ->
          "no capture began on this stream; end it on the stream where it began";
      case DriverStatus.STREAM_CAPTURE_UNJOINED ->
          "a stream that joined the capture was not joined back; record an event after its last"
              + " work, and let the stream where the capture began wait for it before the end";
      case DriverStatus.STREAM_CAPTURE_ISOLATION ->
          "captured work cannot wait for work outside of the capture; let the stream on which"
              + " the graph is launched wait for it before the launch";
      case DriverStatus.STREAM_CAPTURE_IMPLICIT ->
          "the default stream waits for blocking streams, and one of them is captured; use another"
              + " stream meanwhile, or capture a NON_BLOCKING one";
      case DriverStatus.CAPTURED_EVENT ->
          "the event was last recorded in a capture, where no work runs; record it on the stream"
              + " on which the graph was launched";
      case DriverStatus.STREAM_CAPTURE_WRONG_THREAD ->
          "another thread began the capture; end it on that thread";
      default ->
          "captured work runs only when the graph is launched, and this call cannot become part"
              + " of a graph; make it before the capture begins or after it has ended";
    };
  }
}
