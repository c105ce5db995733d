package org.vramkit.pool.caching.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.CALLS_REAL_METHODS;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.when;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.allocator.Stat;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockState;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.ScriptedDevice;
import org.vramkit.pool.caching.ScriptedStream;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.pool.support.Gate;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;

@DisplayName("Accounting")
class AccountingBehavioursTest {

  @OnBothMemories
  @DisplayName("1 one byte raises what is allocated, and its free restores exactly the old value")
  void oneByte(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      box.allocate(3 * MIB);
      AllocatorStatistics before = box.statistics();
      Allocation one = box.allocate(1);
      assertEquals(before.allocated().current() + 512, box.statistics().allocated().current());
      assertEquals(before.requested().current() + 1, box.statistics().requested().current());
      one.close();
      assertEquals(before.allocated().current(), box.statistics().allocated().current());
      assertEquals(before.requested().current(), box.statistics().requested().current());
    }
  }

  @OnBothMemories
  @DisplayName("2 a request of 1024 B moves what is active, and its free what became free, by 1024")
  void active(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      Allocation block = box.allocate(1024);
      assertEquals(new Stat(1024, 1024, 1024, 0), box.statistics().active());
      block.close();
      box.allocator.emptyCache();
      assertEquals(new Stat(0, 1024, 1024, 1024), box.statistics().active());
    }
  }

  @OnBothMemories
  @DisplayName("3 a reset makes peaks the current values; nothing else lowers them, and all hold")
  void peaks(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      SplittableRandom random = new SplittableRandom(3);
      List<Allocation> held = new ArrayList<>();
      List<Stat> before = tallies(box);
      for (int step = 0; step < 600; step++) {
        int choice = random.nextInt(20);
        if (choice < 10) {
          held.add(box.allocate(random.nextLong(1, 6 * MIB)));
        } else if (choice < 17) {
          if (!held.isEmpty()) {
            held.remove(random.nextInt(held.size())).close();
          }
        } else if (choice < 19) {
          box.allocator.emptyCache();
        } else {
          box.allocator.resetPeaks();
        }
        List<Stat> now = tallies(box);
        for (int i = 0; i < now.size(); i++) {
          long expected = choice == 19 ? 0 : before.get(i).peak();
          assertEquals(
              Math.max(expected, now.get(i).current()),
              now.get(i).peak(),
              "tally " + i + ", step " + step);
        }
        before = now;
      }
    }
  }

  private static List<Stat> tallies(Sandbox box) {
    AllocatorStatistics now = box.statistics();
    return List.of(
        now.allocated(),
        now.reserved(),
        now.requested(),
        now.active(),
        now.allocations(),
        now.segments());
  }

  @OnBothMemories
  @DisplayName("4 an allocation of no bytes moves no counter and calls no driver")
  void zeroSize(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      SimStream other = box.newStream();
      box.allocate(MIB).close();
      AllocatorStatistics before = box.statistics();
      box.backend.getDriverCalls().reset();
      List<Allocation> empty =
          List.of(
              box.allocate(0),
              box.allocator.allocateZeroed(0, ElementType.FLOAT64, box.stream),
              box.allocator.allocateCopy(ByteBuffer.allocate(0), other));
      for (Allocation each : empty) {
        assertEquals(0, each.getAddress());
        assertEquals(0, each.getSize());
        each.recordUse(other);
        assertEquals(before, box.statistics());
        each.close();
      }
      assertEquals(before, box.statistics());
      assertEquals(0, box.backend.getDriverCalls().getTotal());
    }
  }

  /**
   * PyTorch waits for every stream at each emptying and counts that. Here streams are waited for
   * only where they hold back what could be given, so the count rises by exactly one for each of
   * them, and by none when all have passed.
   */
  @OnBothMemories
  @DisplayName("5 emptying the cache waits once for a busy stream, and never for an idle one")
  @Tag("virtual-time")
  void emptyCache(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      SimStream unrelated = box.newStream();
      Allocation kept = box.allocate(3 * MIB);
      box.busy(unrelated, kept, 900_000_000);
      kept.recordUse(unrelated);
      Allocation freed = box.allocate(30 * MIB);
      box.busy(box.stream, freed, 50_000_000);
      freed.close();
      AllocatorStatistics before = box.statistics();
      box.allocator.emptyCache();
      AllocatorStatistics emptied = box.statistics();
      assertEquals(before.synchronizations() + 1, emptied.synchronizations());
      assertEquals(before.driverAllocations(), emptied.driverAllocations());
      assertTrue(emptied.driverFrees() > before.driverFrees());
      assertTrue(emptied.reserved().current() <= before.reserved().current() - 28 * MIB);
      assertEquals(before.reserved().peak(), emptied.reserved().peak());
      // The driver's free of plain memory waits for the whole device by itself.
      boolean waited = box.backend.getTimeNanos() >= 800_000_000;
      assertEquals(use == VirtualMemoryUse.OFF, waited, "waited for a stream it need not");
      box.allocator.emptyCache();
      assertEquals(emptied, box.statistics());
    }
  }

  @OnBothMemories
  @DisplayName(
      "5 emptying the cache waits for closed blocks that other streams use, and gives them")
  @Tag("virtual-time")
  void emptyCacheWaitsForUses(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      SimStream side = box.newStream();
      Allocation freed = box.allocate(30 * MIB);
      box.busy(side, freed, 50_000_000);
      freed.recordUse(side);
      freed.close();
      box.allocator.trim(30 * MIB);
      assertEquals(0, box.statistics().synchronizations(), "nothing had to go");
      box.allocator.emptyCache();
      assertEquals(0, box.statistics().reserved().current());
      assertEquals(1, box.statistics().synchronizations());
      assertTrue(box.backend.getTimeNanos() >= 50_000_000, "did not wait");
    }
  }

  /**
   * The counters have no kinds of pool, but shares of streams, which are compared instead; and
   * where PyTorch counts the free blocks of split segments alone, {@code fragmentBytes} and {@code
   * freeBlocks} count all that are free.
   */
  @OnBothMemories
  @DisplayName("6 after each of a hundred steps every sum over the snapshot equals its counter")
  void snapshotAgrees(VirtualMemoryUse use) {
    for (boolean cached : new boolean[] {true, false}) {
      try (Sandbox box = cached ? Sandbox.on(use) : Sandbox.uncached(use)) {
        SnapshotProgram program = new SnapshotProgram(box, 6);
        program.run();
        assertTrue(program.getSteps() >= 100, "steps: " + program.getSteps());
        Set<BlockState> states = EnumSet.allOf(BlockState.class);
        if (!cached) {
          states.remove(BlockState.CACHED);
        }
        assertEquals(states, program.getSeen());
      }
    }
  }

  @OnBothMemories
  @DisplayName("7 the counters of two devices used in turn are separate")
  void twoDevices(VirtualMemoryUse use) {
    try (DevicePair pair = new DevicePair(use, 7)) {
      for (int step = 0; step < 400; step++) {
        pair.step();
      }
      assertThrows(InvalidArgumentException.class, pair::allocateOnForeignStream);
    }
  }

  /** Caching is disabled by choosing the allocator that does none; it has books of its own. */
  @OnBothMemories
  @DisplayName("8 the counter of requests changes only with caching, and then exactly")
  void uncachedMovesNothing(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use);
        DirectAllocator direct = DirectAllocator.builder(box.device).build()) {
      AllocatorStatistics before = box.statistics();
      Allocation uncached = direct.allocate(MIB, box.stream);
      assertEquals(before, box.statistics());
      assertEquals(MIB, direct.getStatistics().requested().current());
      uncached.close();
      box.allocate(MIB);
      assertEquals(1_048_576, box.statistics().requested().current());
      assertEquals(0, direct.getStatistics().requested().current());
    }
  }

  @OnBothMemories
  @DisplayName("9 in 10,000 random steps every freed block still holds what it was filled with")
  void contents(VirtualMemoryUse use) {
    long seed = 123;
    try (Sandbox box = Sandbox.on(use)) {
      ContentFuzz fuzz = new ContentFuzz(box, seed);
      for (int step = 0; step < 10_000; step++) {
        try {
          fuzz.step();
        } catch (RuntimeException | AssertionError e) {
          throw new AssertionError("seed " + seed + ", step " + step, e);
        }
      }
      fuzz.finish();
      assertTrue(fuzz.getLooks() > 1_000, "blocks looked at: " + fuzz.getLooks());
      assertTrue(fuzz.getEmptied() > 100, "caches emptied: " + fuzz.getEmptied());
    }
  }

  /**
   * The allocator has no trace to call back from; the driver's log, and the counters beside it,
   * tell the same. Over virtual memory a segment is as many pages as it takes.
   */
  @OnBothMemories
  @DisplayName("10 500 MiB, freed and taken again, take memory once; emptying gives it back once")
  void segmentsComeAndGoOnce(VirtualMemoryUse use) {
    boolean pages = use == VirtualMemoryUse.ON;
    // Of 16 MiB: one in 512 of the device.
    long pieces = pages ? 32 : 1;
    String take = pages ? "cuMemCreate" : "cuMemAlloc";
    String giveBack = pages ? "cuMemRelease" : "cuMemFree";
    try (Sandbox box = Sandbox.on(use)) {
      for (int round = 0; round < 3; round++) {
        box.allocate(500 * MIB).close();
        assertEquals(pieces, box.backend.getDriverCalls().getCount(take));
        assertEquals(pieces, box.statistics().driverAllocations());
        assertEquals(0, box.backend.getDriverCalls().getCount(giveBack));
      }
      box.allocator.emptyCache();
      assertEquals(pieces, box.backend.getDriverCalls().getCount(giveBack));
      assertEquals(pieces, box.statistics().driverFrees());
      assertEquals(0, box.statistics().reserved().current());
    }
  }

  @OnBothMemories
  @DisplayName(
      "a block that cannot be reported to a closed simulator is not live, and" + " not lost")
  void closedSimulator(VirtualMemoryUse use) {
    SimBackend backend = SimBackend.builder().build();
    Stream stream = backend.getDevice(0).createStream();
    CachingAllocator allocator =
        CachingAllocator.builder(backend.getDevice(0)).virtualMemory(use).build();
    allocator.allocate(1000, stream).close();
    AllocatorStatistics before = allocator.getStatistics();
    backend.close();
    assertThrows(ClosedException.class, () -> allocator.allocate(1000, stream));
    assertEquals(0, allocator.getStatistics().getLiveBytes());
    assertEquals(before.cachedBytes(), allocator.getStatistics().cachedBytes());
  }

  @Test
  @DisplayName("a free that the observer refuses is a free nevertheless")
  void deafToFree() {
    IllegalStateException refusal = new IllegalStateException("closed");
    MemoryObserver observer = mock(MemoryObserver.class, CALLS_REAL_METHODS);
    doThrow(refusal).when(observer).freed(anyLong(), any());
    ScriptedDevice device = spy(new ScriptedDevice());
    when(device.getMemoryObserver()).thenReturn(observer);
    CachingAllocator allocator = CachingAllocator.create(device);
    Allocation held = allocator.allocate(4096, new ScriptedStream(device, 7));
    assertSame(refusal, assertThrows(IllegalStateException.class, held::close));
    assertTrue(held.isClosed());
    assertEquals(0, allocator.getStatistics().getLiveBytes());
    allocator.close();
    assertEquals(0, device.live());
  }

  @Test
  @DisplayName("45.4 a block is reported inside its call, and thus before a suspension copies it")
  void reportedInsideTheCall() {
    MemoryObserver observer = mock(MemoryObserver.class, CALLS_REAL_METHODS);
    ScriptedDevice device = spy(new ScriptedDevice());
    when(device.getMemoryObserver()).thenReturn(observer);
    CachingAllocator allocator = CachingAllocator.create(device);
    Gate gate = Insides.pools(allocator).main.gate;
    AtomicBoolean inside = new AtomicBoolean();
    doAnswer(
            report -> {
              // A suspension holds calls off like a shut gate, and waits until it is deserted.
              gate.shut();
              inside.set(!gate.isDeserted());
              return null;
            })
        .when(observer)
        .allocated(anyLong(), anyLong(), any(), any());
    Allocation held = allocator.allocate(4096, new ScriptedStream(device, 7));
    assertTrue(inside.get());
    assertTrue(gate.isDeserted());
    held.close();
    allocator.close();
    assertEquals(0, device.live());
  }
}
