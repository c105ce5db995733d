package org.vramkit.export;

import java.util.List;
import org.vramkit.pool.caching.HistoryEvent;

/**
 * An event as it is written.
 *
 * @param nanos when, since the history began
 * @param thread number of the thread; 0 where it is not known
 * @param pool number of the private pool; 0 for none
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

  /** Kinds of events; the word is PyTorch's where it has one. */
  enum Kind {
    ALLOC("alloc"),
    FREE_REQUESTED("free_requested"),
    FREE_COMPLETED("free_completed"),
    MAP("segment_map"),
    /** PyTorch's pages never move. */
    MOVE("move"),
    UNMAP("segment_unmap"),
    TRIM("trim"),
    WAIT("wait"),
    OOM("oom");

    final String word;

    Kind(String word) {
      this.word = word;
    }

    /** Returns whether PyTorch's readers know it; memory that moved is memory mapped to them. */
    boolean isOfPyTorch() {
      return this != TRIM && this != WAIT;
    }

    String wordOfPyTorch() {
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

  /** Creates an entry about memory that belongs to no allocation. */
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
