package org.vramkit.tools.trace;

import org.jspecify.annotations.Nullable;

/**
 * The actions of PyTorch's trace entries, and what each means to a trace. Versions differ in the
 * actions that they write, so an entry of another action is passed over and counted.
 */
enum SnapshotAction {
  ALLOC("alloc"),
  FREE_COMPLETED("free_completed"),
  OOM("oom"),
  FREE_REQUESTED("free_requested"),
  SEGMENT_ALLOC("segment_alloc"),
  SEGMENT_FREE("segment_free"),
  SEGMENT_MAP("segment_map"),
  SEGMENT_UNMAP("segment_unmap"),
  SNAPSHOT("snapshot"),
  ANNOTATE("annotate"),
  /** These three are in histories of this project only. */
  MOVE("move"),
  WAIT("wait"),
  TRIM("trim"),
  /** Every other action. */
  UNKNOWN("");

  private static final SnapshotAction[] ALL = values();

  private final String word;

  SnapshotAction(String word) {
    this.word = word;
  }

  /** The action of a row's first field. */
  static SnapshotAction of(RowReader rows) {
    for (SnapshotAction action : ALL) {
      if (rows.is(0, action.word)) {
        return action;
      }
    }
    return UNKNOWN;
  }

  /** The action of this name; null is the name of none. */
  static SnapshotAction of(@Nullable String word) {
    for (SnapshotAction action : ALL) {
      if (action.word.equals(word)) {
        return action;
      }
    }
    return UNKNOWN;
  }

  /** Returns whether it needs an address and a size. */
  boolean isEvent() {
    return this == ALLOC || this == FREE_COMPLETED;
  }

  void apply(TraceBuilder builder, long address, long size, long stream, long nanos) {
    switch (this) {
      case ALLOC -> builder.allocate(address, size, stream, nanos);
      case FREE_COMPLETED -> builder.free(address, size, stream, nanos);
      case OOM -> builder.failure(address, size, stream, nanos);
      case SEGMENT_ALLOC, SEGMENT_MAP -> builder.mark(Mark.Kind.GROW, address, size, stream, nanos);
      case SEGMENT_FREE, SEGMENT_UNMAP ->
          builder.mark(Mark.Kind.SHRINK, address, size, stream, nanos);
      case TRIM -> builder.mark(Mark.Kind.TRIM, address, size, stream, nanos);
      case MOVE -> builder.mark(Mark.Kind.MOVE, address, size, stream, nanos);
      case WAIT -> builder.mark(Mark.Kind.WAIT, address, size, stream, nanos);
      case FREE_REQUESTED -> builder.requestFree();
      case SNAPSHOT, ANNOTATE, UNKNOWN -> {}
    }
  }
}
