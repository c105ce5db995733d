package org.vramkit.tools.trace;

import java.io.IOException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.api.units.Count;

/** A trace that cannot be used. The message is one line: where, what was found, what to do. */
public final class TraceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  TraceException(String where, String problem) {
    super(where + ": " + Text.printable(problem, 400));
  }

  TraceException(String where, String problem, IOException cause) {
    this(where, problem);
    initCause(cause);
  }

  /** A snapshot of one moment is no trace to replay. */
  public static TraceException ofMoment(String name, long bytes, int blocks) {
    return new TraceException(
        name,
        "is a snapshot of one moment: "
            + ByteSize.format(bytes)
            + " live in "
            + Count.of(blocks, "block")
            + ", and no events to replay; 'vramkit view' shows it, and"
            + " torch.cuda.memory._record_memory_history() before the program runs records events");
  }
}
