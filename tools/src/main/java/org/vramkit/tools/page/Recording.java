package org.vramkit.tools.page;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.tools.replay.Timeline;
import org.vramkit.tools.trace.Trace;

/**
 * A trace on a page.
 *
 * @param trace the trace, read with details
 * @param notes short notes shown beside the trace
 * @param replay memory of a replay; null if the trace was not replayed
 */
public record Recording(Trace trace, List<String> notes, @Nullable Replayed replay) {

  /** Copies the notes. */
  public Recording {
    notes = List.copyOf(notes);
  }

  /**
   * A replay of the trace.
   *
   * @param allocator the allocator's name
   * @param timeline its reserved memory over time
   */
  public record Replayed(String allocator, Timeline timeline) {}

  /** Creates a recording without a replay. */
  public static Recording of(Trace trace) {
    return new Recording(trace, List.of(), null);
  }
}
