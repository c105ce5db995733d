package org.vramkit.bench;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.support.Padded;

/**
 * A bounded single-producer, single-consumer queue. Each side keeps its own position in the ring; a
 * null element is free for the producer.
 */
final class SpscRing<T> {
  /** The position of one side, padded to avoid false sharing. */
  private static final class Side extends Padded {
    private int next;
  }

  private final AtomicReferenceArray<@Nullable T> ring;
  private final int mask;
  private final Side producer = new Side();
  private final Side consumer = new Side();

  /**
   * Creates an empty ring.
   *
   * @param capacity maximum number of objects, a power of two
   */
  SpscRing(int capacity) {
    ring = new AtomicReferenceArray<>(capacity);
    mask = capacity - 1;
  }

  /** Adds an object; returns false if the ring is full. Called by the producer. */
  boolean offer(T object) {
    int place = producer.next & mask;
    if (ring.getAcquire(place) != null) {
      return false;
    }
    ring.setRelease(place, object);
    producer.next++;
    return true;
  }

  /** Removes and returns the oldest object, or null if empty. Called by the consumer. */
  @Nullable T poll() {
    int place = consumer.next & mask;
    T object = ring.getAcquire(place);
    if (object != null) {
      ring.setRelease(place, null);
      consumer.next++;
    }
    return object;
  }
}
