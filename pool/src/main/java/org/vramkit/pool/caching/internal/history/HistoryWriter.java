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
  private int chunkBytes = FIRST_BYTES;
  private EventCode code = new EventCode(FIRST_BYTES);
  private @Nullable Chunk chunk;
  private byte[] data = new byte[0];
  private int at;
  private int events;

  private String latestTag = "";
  private int latestTagNumber;

  HistoryWriter(HistoryRing ring) {
    this.ring = ring;
  }

  /** A user got a block. */
  public void allocated(long address, long bytes, long stream, String tag) {
    write(EventCode.ALLOCATE, address, bytes, stream, tag);
  }

  /** A user closed a block, which can be used again at once. */
  public void freed(long address, long bytes, long stream, String tag) {
    write(EventCode.FREE, address, bytes, stream, tag);
  }

  /** Something else happened. */
  public void happened(Action action, long address, long bytes, long stream, String tag) {
    write(EventCode.operationOf(action), address, bytes, stream, tag);
  }

  private void write(int operation, long address, long bytes, long stream, String tag) {
    try {
      int stack = ring.stackNumber();
      int tagNumber = numberOf(tag);
      if (at > data.length - EventCode.LONGEST) {
        nextChunk();
      }
      encode(operation, address >>> EventCode.ADDRESS_SHIFT, bytes, stream, tagNumber, stack);
      publish(operation == EventCode.FREE ? 2 : 1);
    } catch (StackOverflowError | OutOfMemoryError e) {
      // What is half written is not published, and the next event begins a chunk.
      end();
      ring.lost(operation == EventCode.FREE ? 2 : 1);
    }
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
      int operation, long shifted, long bytes, long stream, int tagNumber, int stack) {
    EventCode c = code;
    long thread = Thread.currentThread().getId();
    long now = Math.max(ring.now(), c.nanos);
    int place = c.placeOf(shifted);
    boolean known = c.addresses[place] == shifted;
    boolean sameSize = (known ? c.sizes[place] : c.size) == bytes;
    boolean sameTag = (known ? c.tags[place] : c.tag) == tagNumber;
    boolean sameCaller = c.thread == thread && c.stream == stream;
    data[at++] =
        (byte)
            (operation
                | (known ? EventCode.KNOWN_ADDRESS : 0)
                | (sameSize ? EventCode.SAME_SIZE : 0)
                | (sameTag ? EventCode.SAME_TAG : 0)
                | (sameCaller ? EventCode.SAME_CALLER : 0));
    put(now - c.nanos);
    if (known) {
      data[at++] = (byte) place;
      data[at++] = (byte) (place >>> Byte.SIZE);
    } else {
      long difference = shifted - c.address;
      put(difference << 1 ^ difference >> 63);
    }
    if (!sameSize) {
      put(bytes);
    }
    if (!sameTag) {
      put(tagNumber);
    }
    if (!sameCaller) {
      put(thread);
      put(stream);
      c.thread = thread;
      c.stream = stream;
    }
    if (ring.stacks) {
      put(stack);
    }
    c.nanos = now;
    c.passed(place, shifted, bytes, tagNumber);
  }

  private void put(long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      data[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    data[at++] = (byte) rest;
  }

  private void publish(int more) {
    events += more;
    Chunk current = chunk;
    if (current != null) {
      current.publish(events, at);
    }
  }

  private void nextChunk() {
    end();
    if (at > 0 && chunkBytes < ring.mostChunkBytes) {
      code = new EventCode(2 * chunkBytes);
      chunkBytes *= 2;
    }
    long base = ring.now();
    Chunk next = new Chunk(this, chunkBytes, base);
    ring.add(next);
    code.begin(base);
    chunk = next;
    data = next.data;
    at = 0;
    events = 0;
  }

  /** Nothing more comes from here for a while: what there is may be dropped in its turn. */
  public void end() {
    Chunk current = chunk;
    if (current != null) {
      current.end(code.nanos);
      chunk = null;
      data = new byte[0];
    }
  }
}
