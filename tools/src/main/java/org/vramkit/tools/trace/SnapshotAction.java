package org.vramkit.tools.trace;

import org.jspecify.annotations.Nullable;

/**
 * The actions of PyTorch's trace entries and their effect on a trace. Entries with unknown actions,
 * which other versions may write, are skipped and counted.
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
  /** This and the next two actions occur in Vramkit's histories only. */
  MOVE("move"),
  WAIT("wait"),
  TRIM("trim"),
  /** Any other action. */
  UNKNOWN("");

  private static final SnapshotAction[] ALL = values();

  private final String word;

  SnapshotAction(String word) {
    this.word = word;
  }

  /** Returns the action of a row's first field. */
  static SnapshotAction of(RowReader rows) {
    for (SnapshotAction action : ALL) {
      if (rows.is(0, action.word)) {
        return action;
      }
    }
    return UNKNOWN;
  }

  /** Returns the action of a name; {@link #UNKNOWN} for null. */
  static SnapshotAction of(@Nullable String word) {
    for (SnapshotAction action : ALL) {
      if (action.word.equals(word)) {
        return action;
      }
    }
    return UNKNOWN;
  }

  /** Returns whether the action is an allocation or a free, which need an address and a size. */
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
