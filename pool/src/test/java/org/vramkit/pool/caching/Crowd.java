package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import org.vramkit.api.allocator.Allocation;

/**
 * Threads that allocate on one stream all at once, while an interrupt is pending every other time,
 * and that keep a common list of who holds which bytes.
 */
public final class Crowd {
  private static final long PATIENCE_MILLIS = 60_000;
  private static final int HELD_EACH = 4;

  private final Sandbox box;
  private final int threads;
  private final int rounds;
  private final CyclicBarrier start;
  private final ConcurrentSkipListMap<Long, Long> taken = new ConcurrentSkipListMap<>();
  private final AtomicLong allocations = new AtomicLong();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

  public Crowd(Sandbox box, int threads, int rounds) {
    this.box = box;
    this.threads = threads;
    this.rounds = rounds;
    this.start = new CyclicBarrier(threads);
  }

  /** Lets every thread do its rounds; fails with what the first of them met. */
  public void run() throws InterruptedException {
    List<Thread> crowd = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      long seed = i;
      Thread thread = new Thread(() -> member(seed), "crowd-" + i);
      thread.setDaemon(true);
      crowd.add(thread);
      thread.start();
    }
    for (Thread thread : crowd) {
      thread.join(PATIENCE_MILLIS);
      assertFalse(thread.isAlive(), () -> thread.getName() + " still waits for a lock");
    }
    if (!failures.isEmpty()) {
      throw new AssertionError(failures.size() + " threads failed", failures.peek());
    }
  }

  private void member(long seed) {
    try {
      SplittableRandom random = new SplittableRandom(seed);
      ArrayDeque<Allocation> held = new ArrayDeque<>();
      start.await();
      for (int round = 0; round < rounds; round++) {
        if (round % 2 == 1) {
          Thread.currentThread().interrupt();
        }
        long bytes = random.nextLong(1, 2 * MIB);
        Allocation allocation = box.allocator.allocate(bytes, box.stream);
        enter(allocation);
        held.add(allocation);
        if (held.size() > HELD_EACH) {
          leave(held.remove());
        }
        assertEquals(round % 2 == 1, Thread.interrupted(), "interrupt kept, round " + round);
      }
      held.forEach(this::leave);
    } catch (Exception | AssertionError e) {
      failures.add(new AssertionError("seed " + seed, e));
    }
  }

  private void enter(Allocation allocation) {
    long from = allocation.getAddress();
    long end = from + allocation.getSize();
    assertFalse(from == 0, "a block at address 0");
    assertEquals(null, taken.putIfAbsent(from, end), "taken twice");
    var below = taken.lowerEntry(from);
    var above = taken.higherEntry(from);
    assertFalse(below != null && below.getValue() > from, () -> below + " overlaps " + from);
    assertFalse(above != null && above.getKey() < end, () -> above + " overlaps " + from);
    allocations.incrementAndGet();
  }

  private void leave(Allocation allocation) {
    taken.remove(allocation.getAddress());
    allocation.close();
  }

  /** How many blocks all threads got. */
  public long getAllocations() {
    return allocations.get();
  }
}
