package org.vramkit.pool.support;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.HostEdge;

/**
 * Free pieces of memory by key, newest first in each, with a budget of bytes over all keys: beyond
 * it the least recently used goes first. Not safe for threads: its pool locks, which orders whoever
 * adds a piece before whoever takes one; a backend that checks order is told of it.
 *
 * @param <K> what must be equal for a piece to serve, such as a size class
 * @param <V> a piece; its {@code equals} must be identity
 */
public final class FreeLists<K, V> {
  private final ToLongFunction<V> sizes;
  private final HostEdge edge;
  private final Map<K, ArrayDeque<V>> lists = new HashMap<>();

  /** All pieces with their keys, the least recently used first. */
  private final LinkedHashMap<V, K> byAge = new LinkedHashMap<>();

  private long bytes;

  /**
   * Empty.
   *
   * @param sizes tells the bytes of a piece, which must not change while it is here
   * @param edge from threads that add to those that take
   */
  public FreeLists(ToLongFunction<V> sizes, HostEdge edge) {
    this.sizes = sizes;
    this.edge = edge;
  }

  /** Keeps a piece as the newest of its key. */
  public void add(K key, V piece) {
    edge.publish();
    lists.computeIfAbsent(key, unused -> new ArrayDeque<>()).addFirst(piece);
    byAge.put(piece, key);
    bytes += sizes.applyAsLong(piece);
  }

  /** Takes the newest piece of a key out; null if there is none. */
  public @Nullable V take(K key) {
    return take(key, piece -> true);
  }

  /** The newest piece of a key, which stays; null if there is none. */
  public @Nullable V find(K key) {
    ArrayDeque<V> list = lists.get(key);
    return list == null ? null : list.peekFirst();
  }

  /** Takes the newest piece of a key that suits best, else the newest; null if there is none. */
  public @Nullable V takePreferring(K key, Predicate<V> best) {
    V found = take(key, best);
    return found == null ? take(key) : found;
  }

  /** Takes the newest piece of a key that suits out; null if there is none. */
  public @Nullable V take(K key, Predicate<V> suits) {
    ArrayDeque<V> list = lists.get(key);
    if (list != null) {
      for (V piece : list) {
        if (suits.test(piece)) {
          remove(piece, key);
          return piece;
        }
      }
    }
    return null;
  }

  /** Takes the least recently used out until at most so many bytes are left. */
  public List<V> evictTo(long keepBytes) {
    List<V> evicted = new ArrayList<>();
    while (bytes > keepBytes) {
      Map.Entry<V, K> oldest = byAge.entrySet().iterator().next();
      evicted.add(oldest.getKey());
      remove(oldest.getKey(), oldest.getValue());
    }
    return evicted;
  }

  /** Takes out every piece of the keys that are of no more use. */
  public List<V> evictIf(Predicate<K> useless) {
    List<V> evicted = new ArrayList<>();
    byAge.forEach(
        (piece, key) -> {
          if (useless.test(key)) {
            evicted.add(piece);
          }
        });
    evicted.forEach(this::remove);
    return evicted;
  }

  /** Takes a piece out; returns whether it was here. */
  public boolean remove(V piece) {
    K key = byAge.get(piece);
    if (key != null) {
      remove(piece, key);
    }
    return key != null;
  }

  private void remove(V piece, K key) {
    edge.receive();
    ArrayDeque<V> list = lists.get(key);
    if (list != null) {
      // Mostly the newest or the oldest, which stand at the ends.
      if (list.peekLast() == piece) {
        list.removeLast();
      } else {
        list.removeFirstOccurrence(piece);
      }
      if (list.isEmpty()) {
        lists.remove(key);
      }
    }
    byAge.remove(piece);
    bytes -= sizes.applyAsLong(piece);
  }

  /** How many pieces a key has. */
  public int count(K key) {
    ArrayDeque<V> list = lists.get(key);
    return list == null ? 0 : list.size();
  }

  /** How many pieces there are. */
  public long count() {
    return byAge.size();
  }

  /** How many bytes those have. */
  public long bytes() {
    return bytes;
  }
}
