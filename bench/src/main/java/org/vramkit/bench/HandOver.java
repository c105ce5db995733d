package org.vramkit.bench;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.support.Padded;

/**
 * Hands objects from one thread to one other, in order, as cheaply as can be: a ring in which each
 * side has its own place and a null says that the other one has not been there yet.
 */
final class HandOver<T> {
  /** The position of one side; two of them never share a cache line. */
  private static final class Side extends Padded {
    private int next;
  }

  private final AtomicReferenceArray<@Nullable T> ring;
  private final int mask;
  private final Side giver = new Side();
  private final Side taker = new Side();

  /**
   * An empty ring.
   *
   * @param capacity how many objects may be under way, a power of two
   */
  HandOver(int capacity) {
    ring = new AtomicReferenceArray<>(capacity);
    mask = capacity - 1;
  }

  /** By the giving thread: hands an object over; false if the ring is full. */
  boolean offer(T object) {
    int place = giver.next & mask;
    if (ring.getAcquire(place) != null) {
      return false;
    }
    ring.setRelease(place, object);
    giver.next++;
    return true;
  }

  /** By the taking thread: the oldest object, or null. */
  @Nullable T poll() {
    int place = taker.next & mask;
    T object = ring.getAcquire(place);
    if (object != null) {
      ring.setRelease(place, null);
      taker.next++;
    }
    return object;
  }
}
