package org.vramkit.pool.caching.statistics;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.vramkit.api.units.ByteSize.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.caching.internal.cache.ThreadCache;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.CheckerOptions;

/**
 * Before an allocation fails, its thread looks while all others are held off. What others do right
 * before and right after that look happens here at just that time.
 */
@DisplayName("18.9 A refusal is decided on one moment")
class OneMomentTest {
  private static final long LIMIT = 24 * MIB;

  private final List<Allocation> held = new ArrayList<>();
  private SimBackend backend;
  private SimDevice device;
  private SimStream first;
  private SimStream second;
  private SimStream third;

  @BeforeEach
  void open() {
    // As on a GPU: where a checker listens, blocks take another way, and lie in no cache.
    backend =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .bytes(false)
            .checker(CheckerOptions.OFF)
            .build();
    device = backend.getDevice(0);
    first = device.createStream();
    second = device.createStream();
    third = device.createStream();
  }

  @AfterEach
  void nothingIsLeft() {
    List.of(first, second, third).forEach(SimStream::close);
    assertEquals(List.of(), backend.getLeaks());
    backend.close();
  }

  private CachingAllocator allocator(long cacheBytes) {
    // Polls would wait for the short kernel, and the recovery would have nothing to do.
    return Insides.impatient(CachingAllocator.builder(device))
        .virtualMemory(VirtualMemoryUse.ON)
        .threadCache(cacheBytes)
        .limit(LIMIT)
        .clock(backend::getTimeNanos)
        .build();
  }

  @ParameterizedTest(name = "another thread settles it: {0}")
  @ValueSource(booleans = {false, true})
  @DisplayName("12 MiB that a stream releases right after the search are used")
  void passedAfterTheLook(boolean byAnother) throws Exception {
    try (CachingAllocator allocator = allocator(64 * MIB)) {
      Allocation a = allocator.allocate(6 * MIB, first);
      Allocation low = allocator.allocate(4 * MIB, second);
      held.add(allocator.allocate(2 * MIB, third));
      Allocation b = allocator.allocate(6 * MIB, first);
      held.add(allocator.allocate(2 * MIB, third));
      Allocation high = allocator.allocate(4 * MIB, second);
      first.launch(SimKernel.named("short").taking(1_000_000).build());
      second.launch(SimKernel.named("long").taking(10_000_000_000L).build());
      a.close();
      b.close();
      SearchHooks hooks = new SearchHooks(allocator);
      // Steps before the look have been tried by then: what is freed now only the look can find.
      hooks.beforeOthersGiveBack(
          () -> {
            low.close();
            high.close();
            held.add(allocator.allocate(6 * MIB, first));
          });
      if (byAnother) {
        hooks.afterLook(
            () -> {
              second.synchronize();
              allocator.trim(Long.MAX_VALUE);
            });
      }
      allocator.allocate(12 * MIB, third).close();
      assertEquals(0, allocator.getStatistics().outOfMemories());
      held.forEach(Allocation::close);
    }
  }

  @Test
  @DisplayName("the last look waits for blocks that a thread carries from a full cache")
  void carriedAsTheLookBegins() throws Exception {
    try (CachingAllocator allocator = allocator(8 * MIB)) {
      Allocation a = allocator.allocate(6 * MIB, first);
      List<Allocation> cached = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        cached.add(allocator.allocate(MIB, second));
      }
      Allocation b = allocator.allocate(6 * MIB, first);
      held.add(allocator.allocate(2 * MIB, third));
      for (int i = 0; i < 4; i++) {
        cached.add(allocator.allocate(MIB, second));
      }
      Allocation last = allocator.allocate(MIB, second);
      held.add(allocator.allocate(MIB, second));
      first.launch(SimKernel.named("short").taking(1_000_000).build());
      a.close();
      b.close();
      SearchHooks hooks = new SearchHooks(allocator);
      hooks.beforeOthersGiveBack(
          () -> {
            cached.forEach(Allocation::close);
            held.add(allocator.allocate(6 * MIB, first));
          });
      Carrier carrier = new Carrier(hooks.blockOf(last));
      hooks.beforeLook(carrier::begin);
      allocator.allocate(12 * MIB, third).close();
      carrier.join();
      assertEquals(0, allocator.getStatistics().outOfMemories());
      held.forEach(Allocation::close);
    }
  }

  /** Closes a block as slowly as a thread does that others keep from its processor. */
  private static final class Carrier {
    private final CountDownLatch locked = new CountDownLatch(1);
    private final Thread thread;

    Carrier(Block block) {
      ThreadCache home = ThreadCache.of(block);
      thread =
          new Thread(
              () -> {
                Block overflow;
                home.lock();
                try {
                  locked.countDown();
                  nap();
                  overflow = requireNonNull(home.give(block));
                } finally {
                  home.unlock();
                }
                nap();
                Insides.spill(overflow);
              });
    }

    private static void nap() {
      try {
        Thread.sleep(300);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    void begin() {
      thread.start();
      try {
        locked.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    void join() throws InterruptedException {
      thread.join();
    }
  }
}
