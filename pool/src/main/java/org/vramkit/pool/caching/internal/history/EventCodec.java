package org.vramkit.pool.caching.internal.history;

import java.util.Arrays;
import java.util.List;
import org.vramkit.pool.caching.HistoryEvent.Action;

/**
 * The encoding of events: the state that writer and reader of a buffer share. An event is a byte
 * with its kind and the fields that it shares with earlier events, followed by numbers of variable
 * length: the time since the previous event, the address, the size, the tag, the caller (thread,
 * stream and pool), and the stack if stacks are kept.
 *
 * <p>Addresses repeat, so a recent address is encoded as an index of a small table, which also has
 * its size and tag.
 */
final class EventCodec {
  /** A block that is closed and free at once: two events. */
  static final int FREE = 15;

  static final int KNOWN_ADDRESS = 1 << 4;
  static final int SAME_SIZE = 1 << 5;
  static final int SAME_TAG = 1 << 6;
  static final int SAME_CALLER = 1 << 7;
  static final int OPERATION = 15;

  /** Most bytes of an event. */
  static final int LONGEST = 1 + 3 * 10 + 3 * 5 + 2 * 10;

  /** Number of low bits that are 0 in every address. */
  static final int ADDRESS_SHIFT = 8;

  private static final long SPREAD = 0x9E3779B97F4A7C15L;
  private static final List<Action> ACTIONS = List.of(Action.values());

  static final int ALLOCATE = operationOf(Action.ALLOCATE);
  static final int FREE_REQUESTED = operationOf(Action.FREE_REQUESTED);
  static final int FREE_COMPLETED = operationOf(Action.FREE_COMPLETED);

  // The table of recent addresses.
  final long[] addresses;
  final long[] sizes;
  final int[] tags;
  private final int shift;

  // The previous event.
  long nanos;
  long address;
  long size;
  int tag;
  long thread;
  long stream;
  long pool;

  /** Creates the state for buffers of a size. */
  EventCodec(int bufferBytes) {
    int places = placesFor(bufferBytes);
    addresses = new long[places];
    sizes = new long[places];
    tags = new int[places];
    shift = Long.SIZE - Integer.numberOfTrailingZeros(places);
  }

  private static int placesFor(int bufferBytes) {
    return bufferBytes / 32;
  }

  /** Begins a buffer. */
  void begin(long base) {
    Arrays.fill(addresses, -1);
    nanos = base;
    address = 0;
    size = 0;
    tag = 0;
    thread = 0;
    stream = 0;
    pool = 0;
  }

  int placeOf(long shifted) {
    return (int) ((shifted * SPREAD) >>> shift);
  }

  /** Ends an event, whose time and caller are set already. */
  void passed(int place, long shifted, long newSize, int newTag) {
    addresses[place] = shifted;
    sizes[place] = newSize;
    tags[place] = newTag;
    address = shifted;
    size = newSize;
    tag = newTag;
  }

  static int operationOf(Action action) {
    return ACTIONS.indexOf(action);
  }

  static Action actionOf(int operation) {
    return ACTIONS.get(operation);
  }
}
