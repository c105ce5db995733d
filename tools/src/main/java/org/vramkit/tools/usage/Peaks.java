package org.vramkit.tools.usage;

import org.jspecify.annotations.Nullable;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.TraceDetails;

/**
 * The peaks of a recording.
 *
 * @param requestedBytes most live bytes, as the program requested them
 * @param reservedBytes most bytes that the recorded allocator held; null if the recording does not
 *     have all of its segments
 */
public record Peaks(long requestedBytes, @Nullable Long reservedBytes) {

  /**
   * Returns the peaks of a trace.
   *
   * @param trace a trace with details
   */
  public static Peaks of(Trace trace) {
    TraceDetails details = trace.getDetails();
    if (details == null) {
      throw new IllegalArgumentException(trace.getName() + " was read without details");
    }
    long requested = trace.getRequestedPeakBytes();
    long reserved = details.getReserved().getPeak();
    // Less was reserved than used only if segments are missing, as at the start of a history.
    return new Peaks(requested, reserved == 0 || reserved < requested ? null : reserved);
  }

  /** Returns reserved by requested bytes; null if either is unknown or nothing was requested. */
  public @Nullable Double getRatio() {
    return reservedBytes == null || requestedBytes == 0
        ? null
        : (double) reservedBytes / requestedBytes;
  }
}
