package org.vramkit.export;

import java.util.List;
import org.vramkit.pool.caching.HistoryEvent;

/**
 * An event of the export.
 *
 * @param nanos the time since the history began
 * @param thread the thread's id; 0 if unknown
 * @param pool the id of the private pool; 0 for none
 */
record Entry(
    Kind kind,
    long nanos,
    long address,
    long size,
    long stream,
    long thread,
    String tag,
    List<StackTraceElement> stack,
    long pool) {

  /** Kinds of events, with PyTorch's word if it has one. */
  enum Kind {
    ALLOC("alloc"),
    FREE_REQUESTED("free_requested"),
    FREE_COMPLETED("free_completed"),
    MAP("segment_map"),
    /** Has no equivalent in PyTorch. */
    MOVE("move"),
    UNMAP("segment_unmap"),
    TRIM("trim"),
    WAIT("wait"),
    OOM("oom");

    final String word;

    Kind(String word) {
      this.word = word;
    }

    /**
     * Returns whether PyTorch's readers support the kind. For them, a move is written as a mapping.
     */
    boolean isKnownToPyTorch() {
      return this != TRIM && this != WAIT;
    }

    String pyTorchWord() {
      return this == MOVE ? MAP.word : word;
    }
  }

  static Entry of(Kind kind, HistoryEvent event, long nanos) {
    return new Entry(
        kind,
        nanos,
        event.address(),
        event.size(),
        event.stream(),
        event.thread(),
        event.tag(),
        event.stack(),
        event.pool());
  }

  /** Creates an entry about a mapped range. */
  static Entry ofMemory(Kind kind, HistoryEvent event, long nanos, AddressSet.Range range) {
    return new Entry(
        kind,
        nanos,
        range.from(),
        range.size(),
        0,
        event.thread(),
        "",
        event.stack(),
        event.pool());
  }
}
