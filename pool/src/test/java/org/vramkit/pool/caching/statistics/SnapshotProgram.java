package org.vramkit.pool.caching.statistics;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.AllocatorSnapshot.BlockState;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.SnapshotChecks;
import org.vramkit.sim.SimStream;

/**
 * Allocations and frees from 4 B to 540 MB, the sizes of PyTorch's test of its statistics, on two
 * streams, some of them used by the other one, with every counter compared after each step.
 */
final class SnapshotProgram {
  private static final long FLOAT = 4;
  private static final int EACH = 17;

  private final Sandbox box;
  private final SplittableRandom random;
  private final SimStream side;
  private final List<Allocation> held = new ArrayList<>();
  private final Set<BlockState> seen = EnumSet.noneOf(BlockState.class);
  private int steps;

  SnapshotProgram(Sandbox box, long seed) {
    this.box = box;
    this.random = new SplittableRandom(seed);
    this.side = box.newStream();
  }

  void run() {
    allocate(FLOAT);
    allocate(10 * 20 * FLOAT);
    allocate(200 * 300 * 2000 * FLOAT);
    for (long i = 1; i <= EACH; i++) {
      allocate(i * (4 * i) * FLOAT);
    }
    for (long i = 5; i < 5 + EACH; i++) {
      allocate(i * (7 * i) * (9 * i) * (11 * i) * FLOAT);
    }
    free(EACH);
    for (long i = 2; i < 2 + 2 * EACH; i++) {
      allocate(i * (3 * i) * (8 * i) * FLOAT);
    }
    box.allocator.emptyCache();
    check();
    free(held.size());
    box.allocator.emptyCache();
    check();
  }

  private void allocate(long bytes) {
    held.add(box.allocate(bytes, random.nextInt(3) == 0 ? side : box.stream));
    check();
  }

  /** Frees blocks at random; work on a third of them is still under way on some stream. */
  private void free(int count) {
    for (int i = 0; i < count; i++) {
      Allocation block = held.remove(random.nextInt(held.size()));
      if (random.nextInt(3) == 0) {
        SimStream user = random.nextBoolean() ? side : box.stream;
        box.busy(user, block, random.nextLong(1_000_000));
        block.recordUse(user);
      }
      block.close();
      check();
    }
  }

  private void check() {
    steps++;
    try {
      SnapshotChecks.assertAgrees(box.allocator);
    } catch (AssertionError e) {
      throw new AssertionError("step " + steps, e);
    }
    SnapshotChecks.blocks(box.allocator.getSnapshot()).forEach(block -> seen.add(block.state()));
  }

  /** The states that blocks were in when the counters were compared. */
  Set<BlockState> getSeen() {
    return seen;
  }

  int getSteps() {
    return steps;
  }
}
