package org.vramkit.pool.caching.internal.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.internal.option.SizeRules;

@DisplayName("The numbers of blocks")
class BlockTableTest {
  private static final int THREADS = 4;
  private static final int STEPS = 50_000;
  private static final int HELD = 1000;

  private final Region segment = HeapChecks.region(1 << 20);
  private final Block.Table numbers = new Block.Table();

  private Block block() {
    return HeapChecks.block(segment, 0, SizeRules.QUANTUM);
  }

  /** As the heap does, under its lock. */
  private int number(Block block) {
    synchronized (numbers) {
      numbers.give(block);
    }
    return block.number;
  }

  private void takeBack(Block block) {
    synchronized (numbers) {
      numbers.takeBack(block);
    }
  }

  @Test
  @DisplayName("a block keeps its number, which is not 0 and leads back to it")
  void kept() {
    Block block = block();
    int number = number(block);
    assertNotEquals(0, number);
    assertEquals(number, number(block));
    assertSame(block, numbers.get(number));
    assertNotEquals(number, number(block()));
  }

  @Test
  @DisplayName("the number of a block that ended goes to another one, so that they stay few")
  void recycled() {
    for (int i = 0; i < 100_000; i++) {
      Block block = block();
      assertTrue(number(block) < 3, "number " + block.number);
      takeBack(block);
      takeBack(block);
      assertEquals(0, block.number);
    }
  }

  @Test
  @DisplayName("each owner finds its own blocks while others come and go, also as the table grows")
  void concurrent() throws InterruptedException, ExecutionException {
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> owners = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        long seed = i;
        owners.add(executor.submit(() -> owner(seed)));
      }
      for (Future<?> owner : owners) {
        owner.get();
      }
    } finally {
      executor.shutdownNow();
    }
  }

  private void owner(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    ArrayDeque<Block> held = new ArrayDeque<>();
    for (int step = 0; step < STEPS; step++) {
      if (held.size() < HELD && random.nextInt(3) > 0) {
        Block block = block();
        number(block);
        held.add(block);
      } else if (!held.isEmpty()) {
        Block block = held.remove();
        assertSame(block, numbers.get(block.number), "seed " + seed + " step " + step);
        takeBack(block);
      }
    }
  }
}
