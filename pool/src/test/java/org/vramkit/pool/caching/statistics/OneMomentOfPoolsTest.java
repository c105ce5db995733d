package org.vramkit.pool.caching.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.PoolCapture;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

/** What other pools have free as a thread looks alone happens to come back at just that time. */
@DisplayName("18.9 A refusal is decided on one moment of all pools")
class OneMomentOfPoolsTest {
  private static Sandbox box(VirtualMemoryUse use) {
    return Sandbox.uncached(use, builder -> builder.limit(24 * MIB));
  }

  private static void busy(SimStream stream) {
    stream.launch(SimKernel.named("short").taking(1_000_000).build());
  }

  /**
   * Another thread has 20 MiB while a search takes its steps, and closes them as it is about to
   * look alone.
   */
  private static void closedBeforeTheLook(SearchHooks hooks, Allocator from, SimStream stream)
      throws ReflectiveOperationException {
    from.allocate(20 * MIB, stream).close();
    List<Allocation> held = new ArrayList<>();
    hooks.beforeOthersGiveBack(() -> held.add(from.allocate(20 * MIB, stream)));
    hooks.beforeLook(() -> held.forEach(Allocation::close));
  }

  @OnBothMemories
  @DisplayName("a private pool waits for what the default pool's streams are about to leave")
  void passedInTheDefaultPool(VirtualMemoryUse use) throws Exception {
    try (Sandbox box = box(use);
        PrivatePool pool = box.allocator.createPool()) {
      SimStream side = box.newStream();
      pool.getAllocator().allocate(MIB, box.stream).close();
      pool.getAllocator().trim(0);
      SearchHooks hooks = new SearchHooks(pool);
      busy(side);
      closedBeforeTheLook(hooks, box.allocator, side);
      pool.getAllocator().allocate(16 * MIB, box.stream).close();
      assertEquals(0, box.statistics().outOfMemories());
    }
  }

  @OnBothMemories
  @DisplayName("memory that graphs hold causes no wait, and one search is enough")
  @SuppressWarnings("try") // what is given up is not used
  void heldByGraphs(VirtualMemoryUse use) {
    try (Sandbox box = box(use);
        PrivatePool pool = box.allocator.createPool();
        PoolCapture capture = pool.capture(box.stream)) {
      SimStream side = box.newStream();
      Allocation waiting = box.allocator.allocate(2 * MIB, box.stream);
      waiting.recordUse(side);
      waiting.close();
      box.allocator.allocate(8 * MIB, box.stream).close();
      AllocatorOutOfMemoryException refusal =
          assertThrows(
              AllocatorOutOfMemoryException.class,
              () -> box.allocator.allocate(23 * MIB, box.stream));
      long looks =
          refusal.getReport().steps().stream()
              .filter(step -> step.startsWith("search again"))
              .count();
      assertEquals(1, looks, () -> refusal.getReport().toString());
      assertEquals(0, box.statistics().synchronizations());
    }
  }
}
