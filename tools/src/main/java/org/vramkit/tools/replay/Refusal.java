package org.vramkit.tools.replay;

import java.util.Locale;
import org.vramkit.api.units.ByteSize;

/**
 * An allocation that failed in a replay for lack of memory.
 *
 * @param pass number of the pass, from 1
 * @param index number of the allocation in the trace, from 0
 * @param nanos nanoseconds since the pass began, in the trace's time
 * @param bytes the requested size
 * @param stream number of the stream in the trace
 * @param message why: the first line of the allocator's message, or that the simulated device is
 *     smaller than the program
 */
public record Refusal(int pass, int index, long nanos, long bytes, int stream, String message) {

  Refusal withMessage(String reason) {
    return new Refusal(pass, index, nanos, bytes, stream, reason);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "allocation %d of %s on stream %d, %.3f ms into pass %d: %s",
        index,
        ByteSize.format(bytes),
        stream,
        nanos / 1e6,
        pass,
        message);
  }
}
