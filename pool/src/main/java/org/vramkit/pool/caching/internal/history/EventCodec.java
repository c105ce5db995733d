package org.vramkit.pool.caching.internal.history;

import java.util.List;
import org.vramkit.pool.caching.HistoryEvent.Action;

/**
 * The state of encoding or decoding a buffer: the previous event. An event is a byte with its kind
 * and the fields that it shares with the previous one, followed by numbers of variable length: the
 * time and the distance of the address since the previous event, the size, the tag, the caller
 * (thread, stream and pool), and the stack if stacks are kept.
 */
final class EventCodec {
  /** The operation of a block that is free at its close. It stands for two events. */
  static final int FREE = 15;

  static final int SAME_SIZE = 1 << 4;
  static final int SAME_TAG = 1 << 5;
  static final int SAME_CALLER = 1 << 6;
  static final int OPERATION = 15;

  /** Most bytes of an event. */
  static final int LONGEST = 1 + 3 * 10 + 2 * 5 + 3 * 10;

  /** Number of low bits that are 0 in every address. */
  static final int ADDRESS_SHIFT = 8;

  private static final List<Action> ACTIONS = List.of(Action.values());

  static final int ALLOCATE = operationOf(Action.ALLOCATE);
  static final int FREE_REQUESTED = operationOf(Action.FREE_REQUESTED);
  static final int FREE_COMPLETED = operationOf(Action.FREE_COMPLETED);

  // The previous event.
  long nanos;

  /** The address without its low bits. */
  long address;

  long size;
  int tag;
  long thread;
  long stream;
  long pool;

  /** Creates the state before the first event of a buffer. */
  EventCodec(long base) {
    nanos = base;
  }

  static int operationOf(Action action) {
    return ACTIONS.indexOf(action);
  }

  static Action actionOf(int operation) {
    return ACTIONS.get(operation);
  }
}
