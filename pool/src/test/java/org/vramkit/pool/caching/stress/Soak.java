package org.vramkit.pool.caching.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.CachingAllocatorBuilder;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.SnapshotChecks;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

/**
 * Many threads on one allocator and one simulated device under the checker, for as long as wanted.
 * They meet from time to time; then nothing moves, and the books have to add up.
 */
final class Soak {
  static final long LIMIT = 1024 * Sandbox.MIB;
  private static final int POOLS = 3;
  private static final int STEPS_TO_MEETING = 500;

  /** So short that memory decays all the time while others allocate. */
  private static final Duration IDLE = Duration.ofMillis(20);

  final SimBackend backend;
  final SimDevice device;
  final CachingAllocator allocator;
  final List<SimStream> streams = new CopyOnWriteArrayList<>();

  /** Blocks that whoever comes by closes. */
  final Queue<SoakMember.Held> passed = new ConcurrentLinkedQueue<>();

  final AtomicLong allocations = new AtomicLong();
  final AtomicLong refusals = new AtomicLong();

  /** Allocations that came too late for a pool. */
  final AtomicLong lateComers = new AtomicLong();

  private final AtomicReferenceArray<@Nullable PrivatePool> pools =
      new AtomicReferenceArray<>(POOLS);

  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  private final List<SoakMember> members = new ArrayList<>();
  private final CyclicBarrier meeting;
  private final long usedBefore;
  private final long endNanos;
  private volatile boolean over;
  private int meetings;

  Soak(long seed, VirtualMemoryUse use, int threads, Duration time) {
    backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).seed(seed).build();
    device = backend.getDevice(0);
    usedBefore = device.getMemoryInfo().getUsedBytes();
    CachingAllocatorBuilder builder =
        CachingAllocator.builder(device)
            .virtualMemory(use)
            .threadCache(Sandbox.MIB)
            .limit(LIMIT)
            .decay(IDLE);
    // Without patience busy streams have their own pages at second addresses.
    allocator = Insides.polls(builder, seed % 2 == 0 ? 16 : 0).build();
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < threads; i++) {
      members.add(new SoakMember(this, random.nextLong()));
    }
    meeting = new CyclicBarrier(threads, this::meet);
    endNanos = System.nanoTime() + time.toNanos();
  }

  void run() throws InterruptedException, ExecutionException {
    ExecutorService executor = Executors.newFixedThreadPool(members.size());
    try {
      List<Future<?>> running = new ArrayList<>();
      for (SoakMember each : members) {
        running.add(executor.submit(() -> runOne(each)));
      }
      for (Future<?> each : running) {
        each.get();
      }
    } finally {
      executor.shutdownNow();
    }
    if (!failures.isEmpty()) {
      throw new AssertionError(failures.size() + " threads failed", failures.peek());
    }
    for (int i = 0; i < POOLS; i++) {
      PrivatePool pool = pools.getAndSet(i, null);
      if (pool != null) {
        pool.close();
      }
    }
    passed.forEach(each -> each.block().close());
    allocator.close();
    streams.forEach(SimStream::close);
    assertEquals(List.of(), backend.getHazards(), "hazards");
    assertEquals(List.of(), backend.getLeaks(), "leaks");
  }

  private void runOne(SoakMember member) {
    try {
      while (!over) {
        for (int i = 0; i < STEPS_TO_MEETING; i++) {
          member.step();
        }
        meeting.await();
      }
      member.finish();
    } catch (InterruptedException | BrokenBarrierException e) {
      // Another thread failed, and has told so.
      over = true;
    } catch (RuntimeException | Error e) {
      failures.add(e);
      meeting.reset();
    }
  }

  /** Nothing moves at the moment. */
  private void meet() {
    SnapshotChecks.assertAgrees(allocator);
    AllocatorStatistics now = allocator.getStatistics();
    assertEquals(
        device.getMemoryInfo().getUsedBytes() - usedBefore,
        now.reserved().current(),
        "reserved, as the driver sees it");
    assertEquals(List.of(), List.copyOf(wrong), "blocks with foreign contents");
    assertEquals(List.of(), backend.getHazards(), "hazards");
    meetings++;
    over = System.nanoTime() - endNanos >= 0;
  }

  SimStream anyStream(SplittableRandom random) {
    return streams.get(random.nextInt(streams.size()));
  }

  @Nullable PrivatePool anyPool(SplittableRandom random) {
    return pools.get(random.nextInt(POOLS));
  }

  /** Puts a pool in the place of another one, which is the caller's to close. */
  @Nullable PrivatePool exchangePool(SplittableRandom random, @Nullable PrivatePool pool) {
    return pools.getAndSet(random.nextInt(POOLS), pool);
  }

  void compare(long at, byte value, byte found) {
    if (found != value) {
      wrong.add("0x" + Long.toHexString(at) + " holds " + found + " instead of " + value);
    }
  }

  /** What was done. */
  @Override
  public String toString() {
    AllocatorStatistics now = allocator.getStatistics();
    return String.format(
        "%d allocations, %d refused, %d too late for a pool; %d steals, %d waits, %d pages moved,"
            + " %s decayed; %d meetings",
        allocations.get(),
        refusals.get(),
        lateComers.get(),
        now.steals(),
        now.synchronizations(),
        now.pagesMoved(),
        ByteSize.format(now.decayedBytes()),
        meetings);
  }
}
