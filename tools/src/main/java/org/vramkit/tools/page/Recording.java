package org.vramkit.tools.page;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.tools.replay.Timeline;
import org.vramkit.tools.trace.Trace;

/**
 * A trace as a page shows it.
 *
 * @param trace read with its details
 * @param notes what else to say of it, a few words each
 * @param replay what a replayed allocator held; null if the trace was not replayed
 */
public record Recording(Trace trace, List<String> notes, @Nullable Replayed replay) {

  /** Copies the notes. */
  public Recording {
    notes = List.copyOf(notes);
  }

  /**
   * A replay of the trace.
   *
   * @param allocator through which
   * @param timeline what it held
   */
  public record Replayed(String allocator, Timeline timeline) {}

  /** A recording that was not replayed. */
  public static Recording of(Trace trace) {
    return new Recording(trace, List.of(), null);
  }
}
