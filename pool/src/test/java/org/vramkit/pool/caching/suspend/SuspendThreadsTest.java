package org.vramkit.pool.caching.suspend;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.Backup;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.SnapshotChecks;
import org.vramkit.sim.SimStream;

@DisplayName("A private pool that one thread suspends while others use it")
class SuspendThreadsTest {
  private static final int THREADS = 3;
  private static final int CYCLES = 40;

  /** No thread works on the memory while it goes or comes. */
  private final ReentrantReadWriteLock work = new ReentrantReadWriteLock();

  @Test
  @DisplayName("45.4 gives no byte to two blocks, and keeps the bytes of open blocks")
  void traffic() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try (Sandbox box = Sandbox.standard();
        PrivatePool pool = box.allocator.createPool()) {
      AtomicBoolean ended = new AtomicBoolean();
      CountDownLatch allocated = new CountDownLatch(THREADS);
      List<Future<Integer>> results = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        User user = new User(pool, box.newStream(), new SplittableRandom(i));
        results.add(threads.submit(() -> user.run(allocated, ended)));
      }
      try {
        allocated.await();
        for (int i = 0; i < CYCLES; i++) {
          alone(() -> pool.suspend(Backup.HOST, box.stream));
          assertTrue(pool.isSuspended());
          alone(() -> pool.resume(box.stream));
        }
      } finally {
        ended.set(true);
      }
      int refused = 0;
      for (Future<Integer> each : results) {
        refused += each.get();
      }
      assertTrue(refused > 0, "no allocation met a suspended pool");
      SnapshotChecks.assertAgrees(box.allocator);
    } finally {
      threads.shutdownNow();
    }
  }

  private void alone(Runnable action) {
    work.writeLock().lock();
    try {
      action.run();
    } finally {
      work.writeLock().unlock();
    }
  }

  private record Kept(Allocation block, byte value) {}

  /** A thread that writes and compares while the pool has memory, and calls it at any time. */
  private final class User {
    private final PrivatePool pool;
    private final SimStream stream;
    private final SplittableRandom dice;
    private final Deque<Kept> kept = new ArrayDeque<>();

    User(PrivatePool pool, SimStream stream, SplittableRandom dice) {
      this.pool = pool;
      this.stream = stream;
      this.dice = dice;
    }

    /** Returns how many allocations were refused. */
    int run(CountDownLatch allocated, AtomicBoolean ended) {
      int refused = 0;
      while (!ended.get()) {
        whileResident(
            () -> {
              kept.add(allocate());
              allocated.countDown();
            });
        if (kept.size() > 6) {
          Kept oldest = kept.remove();
          whileResident(() -> compare(oldest));
          oldest.block.close();
        }
        try {
          pool.getAllocator().allocate(5000, stream).close();
        } catch (IllegalStateException suspended) {
          refused++;
        }
      }
      kept.forEach(
          each -> {
            compare(each);
            each.block.close();
          });
      return refused;
    }

    private void whileResident(Runnable action) {
      work.readLock().lock();
      try {
        if (!pool.isSuspended()) {
          action.run();
        }
      } finally {
        work.readLock().unlock();
      }
    }

    private Kept allocate() {
      int bytes = (int) dice.nextLong(1, dice.nextBoolean() ? 5000 : 3 * MIB);
      byte value = (byte) dice.nextInt();
      Allocation block = pool.getAllocator().allocate(bytes, stream);
      stream.fill(block.getAddress(), value, bytes);
      return new Kept(block, value);
    }

    private void compare(Kept kept) {
      ByteBuffer found = ByteBuffer.allocate((int) kept.block.getSize());
      stream.copyToHost(found, kept.block.getAddress());
      byte[] expected = new byte[found.capacity()];
      Arrays.fill(expected, kept.value);
      assertArrayEquals(expected, found.array());
    }
  }
}
