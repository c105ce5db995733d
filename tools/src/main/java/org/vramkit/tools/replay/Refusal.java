package org.vramkit.tools.replay;

import java.util.Locale;
import org.vramkit.api.units.ByteSize;

/**
 * An allocation that was refused in a replay.
 *
 * @param pass the pass it happened in, from 1 on
 * @param index the number of the allocation among those of the trace, from 0 on
 * @param nanos when, in nanoseconds since the pass began, in the trace's own time
 * @param bytes the requested size
 * @param stream the number of its stream in the trace
 * @param message the first line of what the allocator said
 */
public record Refusal(int pass, int index, long nanos, long bytes, int stream, String message) {

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
