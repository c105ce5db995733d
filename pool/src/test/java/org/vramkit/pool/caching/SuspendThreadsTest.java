package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Set;
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
import org.vramkit.api.allocator.TagScope;
import org.vramkit.api.allocator.Tags;
import org.vramkit.sim.SimStream;

@DisplayName("A private pool that one thread suspends while others use it")
class SuspendThreadsTest {
  private static final int THREADS = 3;
  private static final int CYCLES = 40;

  /** No thread works on what goes, or closes it, while it goes or comes. */
  private final ReentrantReadWriteLock work = new ReentrantReadWriteLock();

  @Test
  @DisplayName("45.4 gives no byte to two blocks, and keeps the bytes of open blocks")
  void traffic() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try (Sandbox box = Sandbox.standard();
        PrivatePool pool = box.allocator.createPool()) {
      AtomicBoolean ended = new AtomicBoolean();
      CountDownLatch allocated = new CountDownLatch(THREADS);
      List<Future<?>> results = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        User user = new User(pool, box.newStream(), new SplittableRandom(i));
        results.add(threads.submit(() -> user.run(allocated, ended)));
      }
      try {
        allocated.await();
        for (int i = 0; i < CYCLES; i++) {
          alone(() -> pool.suspend(Backup.HOST, box.stream, Set.of("going")));
          assertFalse(pool.getSnapshot().blocks().toList().isEmpty());
          alone(() -> pool.resume(box.stream));
        }
      } finally {
        ended.set(true);
      }
      for (Future<?> each : results) {
        each.get();
      }
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

  /** A thread with blocks that go and others that stay, which it writes once. */
  private final class User {
    private final PrivatePool pool;
    private final SimStream stream;
    private final SplittableRandom dice;
    private final Deque<Kept> going = new ArrayDeque<>();
    private final Deque<Kept> staying = new ArrayDeque<>();

    User(PrivatePool pool, SimStream stream, SplittableRandom dice) {
      this.pool = pool;
      this.stream = stream;
      this.dice = dice;
    }

    void run(CountDownLatch allocated, AtomicBoolean ended) {
      while (!ended.get()) {
        work.readLock().lock();
        try {
          going.add(allocate("going"));
          if (going.size() > 6) {
            going.remove().block.close();
          }
        } finally {
          work.readLock().unlock();
        }
        staying.add(allocate("staying"));
        allocated.countDown();
        if (staying.size() > 6) {
          compareAndClose(staying.remove());
        }
      }
      staying.forEach(this::compareAndClose);
      going.forEach(this::compareAndClose);
    }

    @SuppressWarnings("try") // the scope is held, not used
    private Kept allocate(String tag) {
      int bytes = (int) dice.nextLong(1, dice.nextBoolean() ? 5000 : 3 * MIB);
      byte value = (byte) dice.nextInt();
      try (TagScope scope = Tags.open(tag)) {
        Allocation block = pool.getAllocator().allocate(bytes, stream);
        stream.fill(block.getAddress(), value, bytes);
        return new Kept(block, value);
      }
    }

    private void compareAndClose(Kept kept) {
      ByteBuffer found = ByteBuffer.allocate((int) kept.block.getSize());
      stream.copyToHost(found, kept.block.getAddress());
      byte[] expected = new byte[found.capacity()];
      Arrays.fill(expected, kept.value);
      assertArrayEquals(expected, found.array());
      kept.block.close();
    }
  }
}
