package org.vramkit.pool.caching.internal.history;

import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.HistoryEvent.Action;

/**
 * Encodes events into its own buffers, so that writers share only the ring that they add buffers
 * to. Guarded by the caller. Never fails: if the Java heap or the stack is too small for an event,
 * the event counts as lost.
 */
public final class HistoryWriter {
  private static final int FIRST_BYTES = 1 << 12;

  private final HistoryRing ring;

  /** The private pool of the events; 0 for none. */
  private long pool;

  private EventCodec code = new EventCodec(0);
  private @Nullable EventBuffer buffer;

  // Published events and bytes of the buffer.
  private int events;
  private int bytes;

  /** The index of the next byte. */
  private int at;

  private String latestTag = "";
  private int latestTagNumber;

  HistoryWriter(HistoryRing ring, long pool) {
    this.ring = ring;
    this.pool = pool;
  }

  /** Writes an allocation. */
  public void allocated(long address, long bytes, long stream, String tag) {
    write(EventCodec.ALLOCATE, address, bytes, stream, tag);
  }

  /** Writes the close of a block that no other stream used, which also completes its free. */
  public void freed(long address, long bytes, long stream, String tag) {
    write(EventCodec.FREE, address, bytes, stream, tag);
  }

  /** Writes an event of a pool, for a writer that pools share. */
  void happened(long inPool, Action action, long address, long bytes, long stream, String tag) {
    pool = inPool;
    happened(action, address, bytes, stream, tag);
  }

  /** Writes an event of any kind. */
  public void happened(Action action, long address, long bytes, long stream, String tag) {
    write(EventCodec.operationOf(action), address, bytes, stream, tag);
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
      // The incomplete event is not published, and the next event begins a buffer.
      at = Integer.MAX_VALUE;
      ring.lost(operation == EventCodec.FREE ? 2 : 1);
    }
  }

  /**
   * Writes an event; returns false if the ring dropped the buffer meanwhile, and the event must be
   * written again.
   */
  private boolean tryWrite(
      int operation, long address, long size, long stream, int tagNumber, int stack) {
    EventBuffer current = buffer;
    byte[] data = current == null ? null : current.data();
    if (current == null || data == null || at > data.length - EventCodec.LONGEST) {
      current = nextBuffer(current, data != null);
      data = current.data();
      if (data == null) {
        return false;
      }
    }
    encode(data, operation, address >>> EventCodec.ADDRESS_SHIFT, size, stream, tagNumber, stack);
    int more = operation == EventCodec.FREE ? 2 : 1;
    if (!current.publish(events, bytes, more, at, code.nanos)) {
      return false;
    }
    events += more;
    bytes = at;
    return true;
  }

  @SuppressWarnings("ReferenceEquality") // an equal tag only takes longer
  private int numberOf(String tag) {
    if (tag != latestTag) {
      latestTagNumber = ring.tags.numberOf(tag);
      latestTag = tag;
    }
    return latestTagNumber;
  }

  private void encode(
      byte[] data, int operation, long shifted, long size, long stream, int tagNumber, int stack) {
    EventCodec c = code;
    long thread = Thread.currentThread().getId();
    long now = Math.max(ring.now(), c.nanos);
    boolean sameSize = c.size == size;
    boolean sameTag = c.tag == tagNumber;
    boolean sameCaller = c.thread == thread && c.stream == stream && c.pool == pool;
    data[at++] =
        (byte)
            (operation
                | (sameSize ? EventCodec.SAME_SIZE : 0)
                | (sameTag ? EventCodec.SAME_TAG : 0)
                | (sameCaller ? EventCodec.SAME_CALLER : 0));
    put(data, now - c.nanos);
    long difference = shifted - c.address;
    put(data, difference << 1 ^ difference >> 63);
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
    }
    if (ring.stacks) {
      put(data, stack);
    }
    c.nanos = now;
    c.address = shifted;
    c.size = size;
    c.tag = tagNumber;
    c.thread = thread;
    c.stream = stream;
    c.pool = pool;
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
   * Begins a buffer.
   *
   * @param full whether the previous buffer is full; otherwise the new one is small, like the first
   */
  private EventBuffer nextBuffer(@Nullable EventBuffer before, boolean full) {
    end();
    int wanted = before != null && full ? 2 * before.room : FIRST_BYTES;
    int room = Math.min(wanted, ring.mostBufferBytes());
    long base = Math.max(ring.now(), code.nanos);
    code = new EventCodec(base);
    EventBuffer next = new EventBuffer(this, room, base);
    at = 0;
    events = 0;
    bytes = 0;
    ring.add(next);
    buffer = next;
    return next;
  }

  /** Completes the current buffer, because no event follows for a while. */
  public void end() {
    EventBuffer current = buffer;
    if (current != null) {
      buffer = null;
      ring.end(current);
    }
  }
}
