package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.caching.internal.arena.IdleTimeDecay;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

@DisplayName("Free memory goes back once nobody has asked for it in a while")
class DecayBehavioursTest {
  private static final Duration WINDOW = Duration.ofSeconds(10);
  private static final long EPOCH = WINDOW.toNanos() / IdleTimeDecay.EPOCHS;

  /** Epochs after which all is gone: the window, and what it takes to see that it is free. */
  private static final int ALL = IdleTimeDecay.EPOCHS + 3;

  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5 * EPOCH);

  private CachingAllocatorBuilder decaying(CachingAllocatorBuilder builder) {
    return builder.decay(WINDOW).clock(clock::get);
  }

  @OnBothMemories
  @DisplayName("A clock that goes back harms nothing; time goes on once it is where it was")
  void clockGoesBack(VirtualMemoryUse use) {
    try (Sandbox box = uncached(use)) {
      allocateAndClose(box, 1);
      for (long back = 1; back > 0; back *= 8) {
        clock.addAndGet(-back);
        allocateAndClose(box, 1);
        assertEquals(0, box.allocator.decay());
        clock.addAndGet(back);
      }
      decayFor(box, ALL);
      assertEquals(0, reserved(box));
    }
  }

  private Sandbox uncached(VirtualMemoryUse use) {
    return Sandbox.uncached(use, this::decaying);
  }

  private void pass(int epochs) {
    clock.addAndGet(epochs * EPOCH);
  }

  private void decayFor(Sandbox box, int epochs) {
    for (int i = 0; i < epochs; i++) {
      pass(1);
      box.allocator.decay();
    }
  }

  /** So many blocks of 40 MiB, each a segment of its own where memory is not virtual. */
  private static List<Allocation> blocks(Sandbox box, int count) {
    List<Allocation> blocks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      blocks.add(box.allocate(40 * MIB));
    }
    return blocks;
  }

  private static void allocateAndClose(Sandbox box, int count) {
    blocks(box, count).forEach(Allocation::close);
  }

  private static long reserved(Sandbox box) {
    return box.statistics().reserved().current();
  }

  @OnBothMemories
  @DisplayName("little by little over the window, half at its middle, all at its end, and counted")
  void curve(VirtualMemoryUse use) {
    try (Sandbox box = uncached(use)) {
      allocateAndClose(box, 20);
      assertEquals(800 * MIB, reserved(box));
      decayFor(box, 5);
      assertTrue(reserved(box) >= 720 * MIB, "after a quarter: " + reserved(box) / MIB);
      decayFor(box, 6);
      long half = reserved(box) / MIB;
      assertTrue(half >= 360 && half <= 560, "after a half: " + half);
      decayFor(box, ALL - 11);
      assertEquals(0, reserved(box));
      assertEquals(800 * MIB, box.statistics().decayedBytes());
      assertEquals(box.statistics().driverAllocations(), box.statistics().driverFrees());
      box.allocate(40 * MIB);
    }
  }

  @OnBothMemories
  @DisplayName("not what a program fills again in each round, only what it no longer fills")
  void recurring(VirtualMemoryUse use) {
    try (Sandbox box = uncached(use)) {
      allocateAndClose(box, 10);
      for (int round = 0; round < 20; round++) {
        decayFor(box, 3);
        allocateAndClose(box, 5);
      }
      assertEquals(200 * MIB, reserved(box));
      assertEquals(200 * MIB, box.statistics().decayedBytes());
    }
  }

  @OnBothMemories
  @DisplayName("from a steady program whose stream nobody ever has to ask")
  void steady(VirtualMemoryUse use) {
    SplittableRandom random = new SplittableRandom(11);
    try (Sandbox box = Sandbox.on(use, builder -> decaying(builder).moveTime(0.005))) {
      allocateAndClose(box, 20);
      ArrayDeque<Allocation> live = new ArrayDeque<>();
      long bytes = 0;
      long mostLive = 0;
      long mostReserved = 0;
      for (int i = 0; i < 20_000; i++) {
        clock.addAndGet(EPOCH / 20);
        long size = (1024L << random.nextInt(15)) + random.nextLong(MIB);
        while (bytes + size > 80 * MIB || (!live.isEmpty() && random.nextInt(3) == 0)) {
          Allocation closed = random.nextBoolean() ? live.removeFirst() : live.removeLast();
          bytes -= closed.getSize();
          closed.close();
        }
        live.add(box.allocator.allocate(size, box.stream));
        bytes += live.getLast().getSize();
        if (i > 10_000) {
          mostLive = Math.max(mostLive, bytes);
          mostReserved = Math.max(mostReserved, reserved(box));
        }
      }
      live.forEach(Allocation::close);
      long most = mostReserved / MIB;
      long needed = mostLive / MIB;
      assertTrue(most <= needed * 5 / 2, () -> most + " MiB kept for " + needed);
    }
  }

  @OnBothMemories
  @DisplayName("at misses too, when the user calls nothing for it")
  void ridesOnMisses(VirtualMemoryUse use) {
    try (Sandbox box = uncached(use)) {
      allocateAndClose(box, 10);
      for (int i = 0; i < ALL; i++) {
        pass(1);
        allocateAndClose(box, 1);
      }
      assertEquals(40 * MIB, reserved(box));
    }
  }

  @OnBothMemories
  @DisplayName("never by itself: while nobody calls, and while all calls are hits, it stays")
  void noThreadOfItsOwn(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, this::decaying)) {
      allocateAndClose(box, 10);
      box.allocate(512).close();
      long before = reserved(box);
      for (int i = 0; i < 10 * ALL; i++) {
        pass(1);
        box.allocate(512).close();
      }
      assertEquals(before, reserved(box));
      assertEquals(0, box.statistics().decayedBytes());
    }
  }

  @OnBothMemories
  @DisplayName("not from under a program that wakes up after a silence and wants it again")
  void wakesUp(VirtualMemoryUse use) {
    try (Sandbox box = uncached(use)) {
      allocateAndClose(box, 10);
      for (int round = 0; round < 5; round++) {
        pass(100);
        allocateAndClose(box, 6);
        pass(1);
        allocateAndClose(box, 1);
      }
      assertEquals(240 * MIB, reserved(box));
      assertEquals(160 * MIB, box.statistics().decayedBytes());
    }
  }

  @OnBothMemories
  @DisplayName("nor at the end of the next silence, where a timer called meanwhile")
  void wakesUpAgain(VirtualMemoryUse use) {
    try (Sandbox box = uncached(use)) {
      allocateAndClose(box, 6);
      pass(100);
      allocateAndClose(box, 6);
      decayFor(box, 1);
      long before = box.statistics().decayedBytes();
      pass(100);
      allocateAndClose(box, 6);
      assertEquals(before, box.statistics().decayedBytes());
    }
  }

  @OnBothMemories
  @DisplayName("from a program that misses rarely as well")
  void missesRarely(VirtualMemoryUse use) {
    try (Sandbox box = uncached(use)) {
      allocateAndClose(box, 10);
      for (int i = 0; i < 6; i++) {
        pass(ALL);
        allocateAndClose(box, 1);
      }
      assertEquals(40 * MIB, reserved(box));
    }
  }

  @OnBothMemories
  @DisplayName("out of the caches of threads and streams that fell idle; others keep theirs")
  void idleCaches(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, this::decaying)) {
      SimStream idle = box.newStream();
      for (int i = 0; i < 6; i++) {
        box.allocate(MIB, idle).close();
        box.allocate(3 * MIB, idle).close();
      }
      Allocation live = box.allocate(512);
      for (int i = 0; i < ALL; i++) {
        box.allocate(MIB / 2).close();
        decayFor(box, 1);
      }
      long misses = box.statistics().misses();
      assertEquals(MIB / 2, box.statistics().cachedBytes());
      box.allocate(MIB / 2).close();
      assertEquals(misses, box.statistics().misses());
      live.close();
      decayFor(box, ALL);
      assertEquals(0, reserved(box));
    }
  }

  @OnBothMemories
  @DisplayName("not what work still uses, nor what waits for another stream, until that is done")
  @Tag("virtual-time")
  void busyStreams(VirtualMemoryUse use) {
    try (Sandbox box = uncached(use)) {
      SimStream other = box.newStream();
      long work = Duration.ofHours(1).toNanos();
      Allocation own = box.allocate(40 * MIB);
      Allocation shared = box.allocate(40 * MIB);
      box.busy(other, shared, work);
      shared.recordUse(other);
      box.busy(box.stream, own, work);
      own.close();
      shared.close();
      decayFor(box, 2 * ALL);
      assertEquals(80 * MIB, reserved(box));
      assertEquals(0, box.statistics().synchronizations(), "nothing was waited for");
      box.device.synchronize();
      decayFor(box, ALL);
      assertEquals(0, reserved(box));
    }
  }

  @OnBothMemories
  @DisplayName("of a stream that was closed meanwhile too")
  void closedStream(VirtualMemoryUse use) {
    try (Sandbox box = uncached(use)) {
      SimStream gone = box.device.createStream();
      Allocation block = box.allocate(40 * MIB, gone);
      box.busy(gone, block, EPOCH);
      block.close();
      gone.close();
      decayFor(box, ALL);
      assertEquals(0, reserved(box));
    }
  }

  @OnBothMemories
  @DisplayName("not of private pools that are open; of ended ones at the next occasion")
  void privatePools(VirtualMemoryUse use) {
    try (Sandbox box = uncached(use)) {
      PrivatePool open = box.allocator.createPool();
      PrivatePool ended = box.allocator.createPool();
      open.getAllocator().allocate(40 * MIB, box.stream).close();
      Allocation last = ended.getAllocator().allocate(40 * MIB, box.stream);
      ended.close();
      last.close();
      allocateAndClose(box, 3);
      decayFor(box, 1);
      assertEquals(160 * MIB, reserved(box));
      decayFor(box, ALL);
      assertEquals(40 * MIB, reserved(box));
      assertEquals(160 * MIB, box.statistics().decayedBytes());
      open.close();
    }
  }

  @OnBothMemories
  @DisplayName("at an allocation from a private pool as well")
  void ridesOnPools(VirtualMemoryUse use) {
    try (Sandbox box = uncached(use)) {
      PrivatePool pool = box.allocator.createPool();
      allocateAndClose(box, 3);
      for (int i = 0; i < ALL; i++) {
        pass(1);
        pool.getAllocator().allocate(20 * MIB, box.stream).close();
      }
      assertEquals(20 * MIB, reserved(box));
    }
  }

  @OnBothMemories
  @DisplayName("when the driver fails, an error is told, nothing is lost, and the rest goes later")
  void driverFails(VirtualMemoryUse use) {
    try (Sandbox box = uncached(use)) {
      allocateAndClose(box, 3);
      decayFor(box, 1);
      pass(ALL);
      String call = use == VirtualMemoryUse.ON ? "cuMemUnmap" : "cuMemFree";
      box.backend.getFaults().failNext(call, Fault.UNKNOWN);
      assertThrows(DriverException.class, box.allocator::decay);
      SnapshotChecks.assertAgrees(box.allocator);
      assertEquals(120 * MIB, reserved(box));
      decayFor(box, 1);
      assertEquals(0, reserved(box));
    }
  }

  @OnBothMemories
  @DisplayName("when the driver fails halfway, what went back before counts all the same")
  void driverFailsHalfway(VirtualMemoryUse use) {
    try (Sandbox box = uncached(use)) {
      allocateAndClose(box, 3);
      decayFor(box, 1);
      pass(ALL);
      String call = use == VirtualMemoryUse.ON ? "cuMemRelease" : "cuMemFree";
      box.backend.getFaults().failNth(call, 2, Fault.UNKNOWN);
      assertThrows(DriverException.class, box.allocator::decay);
      assertTrue(reserved(box) > 0 && reserved(box) < 120 * MIB, "halfway: " + reserved(box));
      assertEquals(120 * MIB - reserved(box), box.statistics().decayedBytes());
    }
  }

  @OnBothMemories
  @DisplayName("only where it is asked for: by default all is kept, and no driver call is made")
  void off(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.uncached(use, builder -> builder.clock(clock::get))) {
      allocateAndClose(box, 3);
      box.backend.getDriverCalls().reset();
      pass(100 * ALL);
      assertEquals(0, box.allocator.decay());
      assertEquals(0, box.backend.getDriverCalls().getTotal());
      assertEquals(120 * MIB, reserved(box));
    }
  }

  @OnBothMemories
  @DisplayName("while threads allocate, move between caches and free: nothing in use is touched")
  void crowd(VirtualMemoryUse use) throws Exception {
    try (Sandbox box = Sandbox.on(use, builder -> this.decaying(builder).threadCache(MIB))) {
      AtomicBoolean done = new AtomicBoolean();
      ExecutorService timer = Executors.newSingleThreadExecutor();
      try {
        Future<Long> decayed = timer.submit(() -> decayUntil(box, done));
        new Crowd(box, 4, 300).run();
        done.set(true);
        assertCounted(box, decayed.get());
      } finally {
        done.set(true);
        timer.shutdown();
      }
      SnapshotChecks.assertAgrees(box.allocator);
      decayFor(box, ALL);
      assertEquals(0, reserved(box));
      assertTrue(box.statistics().decayedBytes() > 0, "something decayed");
    }
  }

  /** What a timer gave back counts, and so does what allocations gave back on their way. */
  private static void assertCounted(Sandbox box, long byTimer) {
    AllocatorStatistics now = box.statistics();
    assertTrue(byTimer <= now.decayedBytes(), () -> byTimer + " by the timer: " + now);
    assertTrue(now.decayedBytes() <= now.reserved().removed(), now::toString);
  }

  /** Again and again; each time whole windows have passed in which next to nothing was needed. */
  private long decayUntil(Sandbox box, AtomicBoolean done) {
    long given = 0;
    while (!done.get()) {
      pass(ALL);
      given += box.allocator.decay();
    }
    return given;
  }

  @Test
  @DisplayName("takes seconds, also parts of one")
  void seconds() {
    try (Sandbox box =
        Sandbox.uncached(
            VirtualMemoryUse.ON, builder -> builder.set("decay", "0.5").clock(clock::get))) {
      allocateAndClose(box, 1);
      for (int i = 0; i < ALL; i++) {
        clock.addAndGet(500_000_000 / IdleTimeDecay.EPOCHS);
        box.allocator.decay();
      }
      assertEquals(0, reserved(box));
    }
  }

  @ParameterizedTest(name = "[{0}]")
  @ValueSource(strings = {"-1", "NaN", "1e30", "soon", ""})
  @DisplayName("takes no time that is none, and names it")
  void noTime(String text) {
    try (Sandbox box = Sandbox.standard()) {
      CachingAllocatorBuilder builder = CachingAllocator.builder(box.device);
      InvalidArgumentException e =
          assertThrows(InvalidArgumentException.class, () -> builder.set("decay", text));
      assertTrue(e.toString().contains("decay"), e.toString());
    }
  }
}
