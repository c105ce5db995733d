package org.vramkit.pool.caching.internal.history;

import java.util.Iterator;
import java.util.List;
import org.vramkit.pool.caching.HistoryEvent;

/** Decodes the buffers of a writer, one event at a time. Not thread-safe. */
final class EventDecoder {
  private final HistoryRing ring;
  private final Iterator<EventBuffer.View> buffers;
  private EventCodec code = new EventCodec(0);
  private byte[] data = new byte[0];
  private int at;
  private int end;
  private int operation;
  private int stack;

  /** True if a second event follows from the same encoding. */
  private boolean halved;

  /** Creates a decoder before the first event. */
  EventDecoder(HistoryRing ring, List<EventBuffer.View> buffers) {
    this.ring = ring;
    this.buffers = buffers.iterator();
  }

  /** Advances to the next event; returns false if there is none. */
  boolean advance() {
    if (halved) {
      halved = false;
      operation = EventCodec.FREE_COMPLETED;
      return true;
    }
    while (at == end) {
      if (!buffers.hasNext()) {
        return false;
      }
      begin(buffers.next());
    }
    decode();
    return true;
  }

  private void begin(EventBuffer.View next) {
    data = next.data;
    at = 0;
    end = next.bytes;
    code = new EventCodec(next.buffer.base);
  }

  private void decode() {
    EventCodec c = code;
    int head = data[at++];
    operation = head & EventCodec.OPERATION;
    c.nanos += get();
    long difference = get();
    c.address += difference >>> 1 ^ -(difference & 1);
    if ((head & EventCodec.SAME_SIZE) == 0) {
      c.size = get();
    }
    if ((head & EventCodec.SAME_TAG) == 0) {
      c.tag = (int) get();
    }
    if ((head & EventCodec.SAME_CALLER) == 0) {
      c.thread = get();
      c.stream = get();
      c.pool = get();
    }
    stack = ring.stacks ? (int) get() : 0;
    halved = operation == EventCodec.FREE;
    if (halved) {
      operation = EventCodec.FREE_REQUESTED;
    }
  }

  private long get() {
    long value = 0;
    int shift = 0;
    byte next = data[at++];
    while (next < 0) {
      value |= (long) (next & 0x7F) << shift;
      shift += 7;
      next = data[at++];
    }
    return value | (long) next << shift;
  }

  long nanos() {
    return code.nanos;
  }

  /** Returns whether this is an allocation, which comes after other events of the same time. */
  boolean isAllocation() {
    return operation == EventCodec.ALLOCATE;
  }

  HistoryEvent event() {
    return new HistoryEvent(
        EventCodec.actionOf(operation),
        code.nanos,
        code.address << EventCodec.ADDRESS_SHIFT,
        code.size,
        code.stream,
        code.thread,
        ring.tags.nameOf(code.tag),
        ring.calls.nameOf(stack),
        code.pool);
  }
}
