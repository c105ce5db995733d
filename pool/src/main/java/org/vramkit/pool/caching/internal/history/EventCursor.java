package org.vramkit.pool.caching.internal.history;

import java.util.Iterator;
import java.util.List;
import org.vramkit.pool.caching.HistoryEvent;

/** Decodes one writer's chunks, an event at a time. Not safe for threads. */
final class EventCursor {
  private final HistoryRing ring;
  private final Iterator<Chunk.View> chunks;
  private EventCode code = new EventCode(32);
  private byte[] data = new byte[0];
  private int at;
  private int end;
  private int operation;
  private int stack;

  /** Whether the event has another half, which comes next. */
  private boolean halved;

  /** Before the first event. */
  EventCursor(HistoryRing ring, List<Chunk.View> chunks) {
    this.ring = ring;
    this.chunks = chunks.iterator();
  }

  /** Goes to the next event; false if there is none. */
  boolean advance() {
    if (halved) {
      halved = false;
      operation = EventCode.FREE_COMPLETED;
      return true;
    }
    while (at == end) {
      if (!chunks.hasNext()) {
        return false;
      }
      begin(chunks.next());
    }
    decode();
    return true;
  }

  private void begin(Chunk.View next) {
    data = next.data;
    at = 0;
    end = next.bytes;
    code = new EventCode(data.length);
    code.begin(next.chunk.base);
  }

  private void decode() {
    EventCode c = code;
    int head = data[at++];
    operation = head & EventCode.OPERATION;
    c.nanos += get();
    long shifted;
    int place;
    boolean known = (head & EventCode.KNOWN_ADDRESS) != 0;
    if (known) {
      place = data[at++] & 0xFF;
      place |= (data[at++] & 0xFF) << Byte.SIZE;
      shifted = c.addresses[place];
    } else {
      long difference = get();
      shifted = c.address + (difference >>> 1 ^ -(difference & 1));
      place = c.placeOf(shifted);
    }
    long size = (head & EventCode.SAME_SIZE) == 0 ? get() : known ? c.sizes[place] : c.size;
    int tag = (head & EventCode.SAME_TAG) == 0 ? (int) get() : known ? c.tags[place] : c.tag;
    if ((head & EventCode.SAME_CALLER) == 0) {
      c.thread = get();
      c.stream = get();
      c.pool = get();
    }
    stack = ring.stacks ? (int) get() : 0;
    c.passed(place, shifted, size, tag);
    halved = operation == EventCode.FREE;
    if (halved) {
      operation = EventCode.FREE_REQUESTED;
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

  /** Of two at one time: frees and memory come before who may have it. */
  boolean isAllocation() {
    return operation == EventCode.ALLOCATE;
  }

  HistoryEvent event() {
    return new HistoryEvent(
        EventCode.actionOf(operation),
        code.nanos,
        code.address << EventCode.ADDRESS_SHIFT,
        code.size,
        code.stream,
        code.thread,
        ring.tags.nameOf(code.tag),
        ring.calls.nameOf(stack),
        code.pool);
  }
}
