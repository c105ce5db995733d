package org.vramkit.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.testkit.sim.SimulatedGpu;

@DisplayName("Live blocks are found by their addresses")
@SimulatedGpu
class LiveBlocksTest {
  private static final long ALIGNMENT = 256;

  private final CachingAllocator allocator;
  private final LiveBlocks live = new LiveBlocks();

  /** The block at every address; its methods are not called. */
  private final Allocation block;

  LiveBlocksTest(SimDevice device, SimStream stream) {
    allocator = CachingAllocator.create(device);
    block = allocator.allocate(1, stream);
  }

  @AfterEach
  void nothingLeft() {
    assertEquals(List.of(), live.getAll());
    block.close();
    allocator.close();
  }

  @Test
  @DisplayName("23.5 whatever comes and goes, from a few to many thousand")
  void comesAndGoes() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    Set<Long> model = new HashSet<>();
    for (int most : new int[] {10, 1000, 30_000, 100}) {
      for (int i = 0; i < 100_000; i++) {
        long address = ALIGNMENT * (1 + random.nextInt(2 * most));
        if (model.contains(address)) {
          assertSame(block, live.find(address), () -> "seed " + seed);
          assertSame(block, live.remove(address), () -> "seed " + seed);
          model.remove(address);
        } else {
          assertNull(live.find(address), () -> "seed " + seed);
          assertNull(live.remove(address), () -> "seed " + seed);
          assertTrue(live.add(address, block), () -> "seed " + seed);
          model.add(address);
        }
      }
      assertEquals(model.size(), live.getAll().size(), () -> "seed " + seed);
    }
    assertEquals(model.size(), live.tryEnd().size(), () -> "seed " + seed);
    model.forEach(each -> assertSame(block, live.remove(each), () -> "seed " + seed));
    assertEquals(List.of(), live.tryEnd());
    assertFalse(live.add(ALIGNMENT, block), "after the end");
  }

  @Test
  @DisplayName("23.6 of several threads that remove a block, one gets it")
  void removedOnce() throws InterruptedException {
    int blocks = 50_000;
    List<BlockingQueue<Long>> handedOver = new ArrayList<>();
    List<CompletableFuture<Integer>> removers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      BlockingQueue<Long> queue = new LinkedBlockingQueue<>();
      handedOver.add(queue);
      removers.add(CompletableFuture.supplyAsync(() -> removeAll(queue, blocks)));
    }
    for (long address = ALIGNMENT; address <= blocks * ALIGNMENT; address += ALIGNMENT) {
      assertTrue(live.add(address, block));
      for (BlockingQueue<Long> each : handedOver) {
        each.put(address);
      }
    }
    assertEquals(blocks, removers.stream().mapToInt(CompletableFuture::join).sum());
  }

  /** Removes the blocks at these addresses; returns the number of blocks that it removed. */
  private int removeAll(BlockingQueue<Long> addresses, int count) {
    int got = 0;
    for (int i = 0; i < count; i++) {
      try {
        Long address = addresses.poll(1, TimeUnit.HOURS);
        assertTrue(address != null, "no address came");
        got += live.remove(address) == null ? 0 : 1;
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
    return got;
  }
}
