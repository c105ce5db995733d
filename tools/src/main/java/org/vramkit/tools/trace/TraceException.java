package org.vramkit.tools.trace;

import java.io.IOException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;

/** Thrown for a trace that cannot be used. The message is one line: position, problem, remedy. */
public final class TraceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Advice for a snapshot without events, whichever program took it. */
  static final String HOW_TO_RECORD =
      "To record events, set Vramkit's option history, such as -Dvramkit.allocator.history=64MiB,"
          + " or call torch.cuda.memory._record_memory_history(), before the program runs";

  TraceException(String where, String problem) {
    super(where + ": " + Text.printable(problem, 400));
  }

  TraceException(String where, String problem, IOException cause) {
    this(where, problem);
    initCause(cause);
  }

  /** Creates the error for a snapshot of one moment, which cannot be replayed. */
  public static TraceException ofMoment(String name, long bytes, int blocks) {
    return new TraceException(
        name,
        "is a snapshot of one moment: "
            + ByteSize.format(bytes)
            + " live in "
            + Count.of(blocks, "block")
            + ", without events to replay; 'vramkit view' shows it. "
            + HOW_TO_RECORD);
  }
}
