package org.vramkit.pool.caching.decay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;
import static org.vramkit.pool.caching.decay.DecayWindow.ALL;
import static org.vramkit.pool.caching.decay.DecayWindow.INTERVAL;
import static org.vramkit.pool.caching.decay.DecayWindow.allocateAndClose;
import static org.vramkit.pool.caching.decay.DecayWindow.reserved;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.pool.caching.Crowd;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.SnapshotChecks;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimStream;

@DisplayName("The memory that decay returns:")
class DecayReachTest {
  private final DecayWindow window = new DecayWindow();

  @OnBothMemories
  @DisplayName("out of the caches of threads and streams that fell idle; others keep theirs")
  void idleCaches(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, window::decaying)) {
      SimStream idle = box.newStream();
      for (int i = 0; i < 6; i++) {
        box.allocate(MIB, idle).close();
        box.allocate(3 * MIB, idle).close();
      }
      Allocation live = box.allocate(512);
      for (int i = 0; i < ALL; i++) {
        box.allocate(MIB / 2).close();
        window.decayFor(box, 1);
      }
      long misses = box.statistics().misses();
      assertEquals(MIB / 2, box.statistics().cachedBytes());
      box.allocate(MIB / 2).close();
      assertEquals(misses, box.statistics().misses());
      live.close();
      window.decayFor(box, ALL);
      assertEquals(0, reserved(box));
    }
  }

  @OnBothMemories
  @DisplayName("but not memory that work or another stream still uses, until it is complete")
  @Tag("virtual-time")
  void busyStreams(VirtualMemoryUse use) {
    try (Sandbox box = window.uncached(use)) {
      SimStream other = box.newStream();
      long work = Duration.ofHours(1).toNanos();
      Allocation own = box.allocate(40 * MIB);
      Allocation shared = box.allocate(40 * MIB);
      box.busy(other, shared, work);
      shared.recordUse(other);
      box.busy(box.stream, own, work);
      own.close();
      shared.close();
      window.decayFor(box, 2 * ALL);
      assertEquals(80 * MIB, reserved(box));
      assertEquals(0, box.statistics().synchronizations(), "nothing was waited for");
      box.device.synchronize();
      window.decayFor(box, ALL);
      assertEquals(0, reserved(box));
    }
  }

  @OnBothMemories
  @DisplayName("memory of a stream that was closed meanwhile decays, too")
  void closedStream(VirtualMemoryUse use) {
    try (Sandbox box = window.uncached(use)) {
      SimStream gone = box.device.createStream();
      Allocation block = box.allocate(40 * MIB, gone);
      box.busy(gone, block, INTERVAL);
      block.close();
      gone.close();
      window.decayFor(box, ALL);
      assertEquals(0, reserved(box));
    }
  }

  @OnBothMemories
  @DisplayName("nothing of private pools that are open; ended ones return their memory themselves")
  void privatePools(VirtualMemoryUse use) {
    try (Sandbox box = window.uncached(use)) {
      PrivatePool open = box.allocator.createPool();
      PrivatePool ended = box.allocator.createPool();
      open.getAllocator().allocate(40 * MIB, box.stream).close();
      Allocation last = ended.getAllocator().allocate(40 * MIB, box.stream);
      ended.close();
      last.close();
      allocateAndClose(box, 3);
      window.decayFor(box, 1);
      assertEquals(160 * MIB, reserved(box));
      window.decayFor(box, ALL);
      assertEquals(40 * MIB, reserved(box));
      assertEquals(120 * MIB, box.statistics().decayedBytes());
      open.close();
    }
  }

  @OnBothMemories
  @DisplayName("while threads allocate, move between caches and free: nothing in use is touched")
  void crowd(VirtualMemoryUse use) throws Exception {
    try (Sandbox box = Sandbox.on(use, builder -> window.decaying(builder).threadCache(MIB))) {
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
      window.decayFor(box, ALL);
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
      window.pass(ALL);
      given += box.allocator.decay();
    }
    return given;
  }
}
