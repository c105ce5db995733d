package org.vramkit.pool.caching;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;

/**
 * The heap of each stream. Looked up on every call by the identity of the stream object, without a
 * lock; objects that are not known yet are compared by equality under the monitor and then
 * remembered.
 */
final class StreamHeaps {
  /** As many streams as may be known before closed ones are looked for. */
  private static final int FIRST_CROWD = 64;

  /** Above this the table forgets which objects it has seen, and learns again. */
  private static final int MAX_ENTRIES = 1 << 10;

  /** Open addressing; never full, never changed once published. */
  private static final class Table {
    final @Nullable Stream[] keys;
    final @Nullable StreamHeap[] values;
    final int entries;

    Table(int capacity, int entries) {
      this.keys = new Stream[capacity];
      this.values = new StreamHeap[capacity];
      this.entries = entries;
    }

    void insert(Stream stream, @Nullable StreamHeap heap) {
      int mask = keys.length - 1;
      int i = System.identityHashCode(stream) & mask;
      while (keys[i] != null) {
        i = (i + 1) & mask;
      }
      keys[i] = stream;
      values[i] = heap;
    }
  }

  private final Function<Stream, StreamHeap> factory;
  private final Map<Stream, StreamHeap> heaps = new LinkedHashMap<>();
  private volatile List<StreamHeap> all = List.of();
  private volatile Table table = new Table(2, 0);
  private volatile int crowd = FIRST_CROWD;

  StreamHeaps(Function<Stream, StreamHeap> factory) {
    this.factory = factory;
  }

  StreamHeap of(Stream stream) {
    Table seen = table;
    int mask = seen.keys.length - 1;
    for (int i = System.identityHashCode(stream) & mask; ; i = (i + 1) & mask) {
      Stream key = seen.keys[i];
      StreamHeap value = seen.values[i];
      if (key == stream && value != null) {
        return value;
      }
      if (key == null) {
        return learn(stream);
      }
    }
  }

  /** Every heap there is, in order of appearance; a snapshot. */
  List<StreamHeap> all() {
    return all;
  }

  /** Whether so many streams are known that it pays to look for closed ones. */
  boolean isCrowded() {
    return all.size() >= crowd;
  }

  /** Forgets heaps whose streams are closed and that hold nothing. */
  synchronized void forget(Collection<StreamHeap> retired) {
    retired.forEach(each -> heaps.remove(each.stream));
    all = List.copyOf(heaps.values());
    table = new Table(2, 0);
    crowd = Math.max(FIRST_CROWD, 2 * all.size());
  }

  private synchronized StreamHeap learn(Stream stream) {
    StreamHeap heap = heaps.get(stream);
    if (heap == null) {
      if (stream.isClosed()) {
        throw new ClosedException(
            "stream 0x" + Long.toHexString(stream.getHandle()) + " is closed");
      }
      heap = factory.apply(stream);
      heaps.put(stream, heap);
      all = List.copyOf(heaps.values());
    }
    Table old = table.entries < MAX_ENTRIES ? table : new Table(2, 0);
    int entries = old.entries + 1;
    // At most half full, so that a search always ends at an empty place.
    Table grown = new Table(Integer.highestOneBit(entries * 2) * 2, entries);
    for (int i = 0; i < old.keys.length; i++) {
      Stream key = old.keys[i];
      if (key != null) {
        grown.insert(key, old.values[i]);
      }
    }
    grown.insert(stream, heap);
    table = grown;
    return heap;
  }
}
