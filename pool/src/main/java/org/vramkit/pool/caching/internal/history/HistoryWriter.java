package org.vramkit.pool.caching.internal.history;

import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.HistoryEvent.Action;

/**
 * Encodes events into chunks of its own, so that writers share nothing but the ring that they take
 * a new chunk from. Guarded by the caller. Never fails: an event that there is no memory or no room
 * on the stack for is counted as lost.
 */
public final class HistoryWriter {
  private static final int FIRST_BYTES = 1 << 12;

  private final HistoryRing ring;

  /** The private pool that events happen in; 0 for none. */
  private long pool;

  private int chunkBytes = FIRST_BYTES;
  private EventCode code = new EventCode(FIRST_BYTES);
  private @Nullable Chunk chunk;

  // What is published of it.
  private int events;
  private int bytes;

  /** Where the next byte goes, behind these. */
  private int at;

  private String latestTag = "";
  private int latestTagNumber;

  HistoryWriter(HistoryRing ring, long pool) {
    this.ring = ring;
    this.pool = pool;
  }

  /** A user got a block. */
  public void allocated(long address, long bytes, long stream, String tag) {
    write(EventCode.ALLOCATE, address, bytes, stream, tag);
  }

  /** A user closed a block, which can be used again at once. */
  public void freed(long address, long bytes, long stream, String tag) {
    write(EventCode.FREE, address, bytes, stream, tag);
  }

  /** Something else happened, in a pool from which others may write here too. */
  void happened(long inPool, Action action, long address, long bytes, long stream, String tag) {
    pool = inPool;
    happened(action, address, bytes, stream, tag);
  }

  /** Something else happened. */
  public void happened(Action action, long address, long bytes, long stream, String tag) {
    write(EventCode.operationOf(action), address, bytes, stream, tag);
  }

  private void write(int operation, long address, long size, long stream, String tag) {
    try {
      int stack = ring.stackNumber();
      int tagNumber = numberOf(tag);
      boolean noted = false;
      while (!noted) {
        noted = tryWrite(operation, address, size, stream, tagNumber, stack);
      }
    } catch (StackOverflowError | OutOfMemoryError e) {
      // What is half written is not published, and the next event begins a chunk.
      at = Integer.MAX_VALUE;
      ring.lost(operation == EventCode.FREE ? 2 : 1);
    }
  }

  /** False if the ring dropped the chunk meanwhile, and the event is to be written once more. */
  private boolean tryWrite(
      int operation, long address, long size, long stream, int tagNumber, int stack) {
    Chunk current = chunk;
    byte[] data = current == null ? null : current.data();
    if (current == null || data == null || at > data.length - EventCode.LONGEST) {
      current = nextChunk(current, data != null);
      data = current.data();
      if (data == null) {
        return false;
      }
    }
    encode(data, operation, address >>> EventCode.ADDRESS_SHIFT, size, stream, tagNumber, stack);
    int more = operation == EventCode.FREE ? 2 : 1;
    if (!current.publish(events, bytes, more, at, code.nanos)) {
      return false;
    }
    events += more;
    bytes = at;
    return true;
  }

  @SuppressWarnings("ReferenceEquality") // another object of the same name only takes longer
  private int numberOf(String tag) {
    if (tag != latestTag) {
      latestTagNumber = ring.tags.numberOf(tag);
      latestTag = tag;
    }
    return latestTagNumber;
  }

  private void encode(
      byte[] data, int operation, long shifted, long size, long stream, int tagNumber, int stack) {
    EventCode c = code;
    long thread = Thread.currentThread().getId();
    long now = Math.max(ring.now(), c.nanos);
    int place = c.placeOf(shifted);
    boolean known = c.addresses[place] == shifted;
    boolean sameSize = (known ? c.sizes[place] : c.size) == size;
    boolean sameTag = (known ? c.tags[place] : c.tag) == tagNumber;
    boolean sameCaller = c.thread == thread && c.stream == stream && c.pool == pool;
    data[at++] =
        (byte)
            (operation
                | (known ? EventCode.KNOWN_ADDRESS : 0)
                | (sameSize ? EventCode.SAME_SIZE : 0)
                | (sameTag ? EventCode.SAME_TAG : 0)
                | (sameCaller ? EventCode.SAME_CALLER : 0));
    put(data, now - c.nanos);
    if (known) {
      data[at++] = (byte) place;
      data[at++] = (byte) (place >>> Byte.SIZE);
    } else {
      long difference = shifted - c.address;
      put(data, difference << 1 ^ difference >> 63);
    }
    if (!sameSize) {
      put(data, size);
    }
    if (!sameTag) {
      put(data, tagNumber);
    }
    if (!sameCaller) {
      put(data, thread);
      put(data, stream);
      put(data, pool);
      c.thread = thread;
      c.stream = stream;
      c.pool = pool;
    }
    if (ring.stacks) {
      put(data, stack);
    }
    c.nanos = now;
    c.passed(place, shifted, size, tagNumber);
  }

  private void put(byte[] data, long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      data[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    data[at++] = (byte) rest;
  }

  /**
   * Begins a chunk.
   *
   * @param full whether the one before was in use up to now; else it begins small, as at first
   */
  private Chunk nextChunk(@Nullable Chunk before, boolean full) {
    end();
    int wanted = before != null && full ? 2 * before.room : FIRST_BYTES;
    int room = Math.min(wanted, ring.mostChunkBytes());
    long base = Math.max(ring.now(), code.nanos);
    if (room != chunkBytes) {
      code = new EventCode(room);
      chunkBytes = room;
    }
    code.begin(base);
    Chunk next = new Chunk(this, room, base);
    at = 0;
    events = 0;
    bytes = 0;
    ring.add(next);
    chunk = next;
    return next;
  }

  /** Nothing more comes from here for a while: what there is may be dropped in its turn. */
  public void end() {
    Chunk current = chunk;
    if (current != null) {
      chunk = null;
      ring.end(current);
    }
  }
}
