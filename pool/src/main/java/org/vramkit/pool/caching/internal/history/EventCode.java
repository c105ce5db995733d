package org.vramkit.pool.caching.internal.history;

import java.util.Arrays;
import java.util.List;
import org.vramkit.pool.caching.HistoryEvent.Action;

/**
 * How events are encoded: what both the writer and the reader of a chunk know at each event. An
 * event is a byte that says what it is and what it has in common with earlier ones, then numbers of
 * variable length: the time since the event before, the address, the size, the tag, the caller
 * (thread, stream and pool), and the stack where stacks are kept.
 *
 * <p>Blocks are used again and again. So an address that was seen lately is a place in a small
 * table, which has the size and the tag that went with it.
 */
final class EventCode {
  /** A block was closed and can be used again at once: two events. */
  static final int FREE = 15;

  static final int KNOWN_ADDRESS = 1 << 4;
  static final int SAME_SIZE = 1 << 5;
  static final int SAME_TAG = 1 << 6;
  static final int SAME_CALLER = 1 << 7;
  static final int OPERATION = 15;

  /** Bytes of the longest event. */
  static final int LONGEST = 1 + 3 * 10 + 3 * 5 + 2 * 10;

  /** All addresses are multiples of so much. */
  static final int ADDRESS_SHIFT = 8;

  private static final long SPREAD = 0x9E3779B97F4A7C15L;
  private static final List<Action> ACTIONS = List.of(Action.values());

  static final int ALLOCATE = operationOf(Action.ALLOCATE);
  static final int FREE_REQUESTED = operationOf(Action.FREE_REQUESTED);
  static final int FREE_COMPLETED = operationOf(Action.FREE_COMPLETED);

  // By place.
  final long[] addresses;
  final long[] sizes;
  final int[] tags;
  private final int shift;

  // Of the event before.
  long nanos;
  long address;
  long size;
  int tag;
  long thread;
  long stream;
  long pool;

  /**
   * For chunks of so many bytes.
   *
   * @param chunkBytes a power of two
   */
  EventCode(int chunkBytes) {
    int places = placesFor(chunkBytes);
    addresses = new long[places];
    sizes = new long[places];
    tags = new int[places];
    shift = Long.SIZE - Integer.numberOfTrailingZeros(places);
  }

  private static int placesFor(int chunkBytes) {
    return chunkBytes / 32;
  }

  /** A chunk begins. */
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

  /** An event was encoded or decoded; its time and caller are entered already. */
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
