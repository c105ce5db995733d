package org.vramkit.pool.caching.outofmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.allocator.Reclaimer;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.PrivatePoolOptions;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.decorator.LimitingAllocator;
import org.vramkit.pool.decorator.RetryingAllocator;
import org.vramkit.pool.direct.DirectAllocator;

@DisplayName("45.2 Reclaimers of an allocator that runs out of memory")
class ReclaimerTest {
  /** Blocks that can be given up, a block for each call. */
  private static final class Spare implements Reclaimer {
    final Deque<Allocation> blocks = new ArrayDeque<>();
    final List<Long> asked = new ArrayList<>();

    @Override
    public long reclaim(long bytes) {
      asked.add(bytes);
      Allocation block = blocks.poll();
      if (block == null) {
        return 0;
      }
      block.close();
      return block.getSize();
    }
  }

  private static Spare spare(Allocator allocator, Sandbox box, long... mebibytes) {
    Spare spare = new Spare();
    for (long each : mebibytes) {
      spare.blocks.add(allocator.allocate(each * MIB, box.stream));
    }
    return spare;
  }

  private static Sandbox small(VirtualMemoryUse use) {
    return Sandbox.on(use, builder -> builder.limit(100 * MIB));
  }

  @OnBothMemories
  @DisplayName(
      "45.2 are asked before the handler, whether it was set before or after they were added")
  void beforeTheHandler(VirtualMemoryUse use) {
    try (Sandbox box = small(use)) {
      List<String> steps = new ArrayList<>();
      box.allocator.setOutOfMemoryHandler((report, attempt) -> !steps.add("before"));
      Spare spare = spare(box.allocator, box, 40, 40);
      assertTrue(box.allocator.addReclaimer(spare));
      box.allocate(60 * MIB).close();
      box.allocator.setOutOfMemoryHandler((report, attempt) -> !steps.add("after"));
      box.allocate(100 * MIB).close();
      assertEquals(List.of(), steps);
      assertEquals(List.of(60 * MIB, 100 * MIB), spare.asked);
      try (Allocation held = box.allocate(100 * MIB)) {
        AllocatorOutOfMemoryException e =
            assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(held.getSize()));
        assertTrue(e.getReport().steps().contains("ask reclaimers: 0 B freed"), e.toString());
      }
      assertEquals(List.of("after"), steps);
      box.allocator.removeReclaimer(spare);
    }
  }

  @Test
  @DisplayName(
      "45.2 are asked again until it is enough, in their order, and not after their removal")
  void untilItIsEnough() {
    try (Sandbox box = small(VirtualMemoryUse.ON)) {
      Spare first = spare(box.allocator, box, 20);
      Spare second = spare(box.allocator, box, 20, 20, 20);
      box.allocator.addReclaimer(first);
      box.allocator.addReclaimer(second);
      Allocation held = box.allocate(75 * MIB);
      assertEquals(List.of(75 * MIB, 75 * MIB), first.asked);
      assertEquals(List.of(55 * MIB, 75 * MIB), second.asked);
      held.close();
      box.allocator.removeReclaimer(first);
      box.allocator.removeReclaimer(second);
      box.allocator.removeReclaimer(second);
      box.allocate(80 * MIB);
      assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(20 * MIB));
      assertEquals(2, second.asked.size());
      assertEquals(20 * MIB, second.reclaim(1));
    }
  }

  @Test
  @DisplayName("45.2 that fail do not prevent calls of others or of the handler, and are named")
  void failing() {
    try (Sandbox box = small(VirtualMemoryUse.ON)) {
      IllegalStateException broken = new IllegalStateException("the disk is full");
      box.allocator.addReclaimer(
          bytes -> {
            throw broken;
          });
      Spare spare = spare(box.allocator, box, 80);
      box.allocator.addReclaimer(spare);
      Allocation held = box.allocate(90 * MIB);
      int[] calls = new int[1];
      box.allocator.setOutOfMemoryHandler((report, attempt) -> (calls[0] = attempt) < 2);
      AllocatorOutOfMemoryException e =
          assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(held.getSize()));
      assertEquals(List.of(broken), List.of(e.getSuppressed()));
      assertEquals(2, calls[0]);
    }
  }

  @Test
  @DisplayName("45.2 are not asked for what the limit never allows")
  void beyondTheLimit() {
    try (Sandbox box = small(VirtualMemoryUse.ON)) {
      Spare spare = spare(box.allocator, box, 40);
      box.allocator.addReclaimer(spare);
      assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(101 * MIB));
      assertEquals(List.of(), spare.asked);
      assertEquals(40 * MIB, spare.reclaim(1));
    }
  }

  @OnBothMemories
  @DisplayName("45.2 of the allocator free memory for private pools; those of a pool for it alone")
  void privatePools(VirtualMemoryUse use) {
    try (Sandbox box = small(use);
        PrivatePool pool =
            box.allocator.createPool(PrivatePoolOptions.DEFAULT.withLimit(50 * MIB))) {
      Allocator inside = pool.getAllocator();
      Spare outer = spare(box.allocator, box, 80);
      Spare inner = spare(inside, box, 10);
      box.allocator.addReclaimer(outer);
      assertTrue(inside.addReclaimer(inner));
      box.allocator.addReclaimer(bytes -> 0);
      Allocation first = inside.allocate(40 * MIB, box.stream);
      assertTrue(outer.blocks.isEmpty() || inner.blocks.isEmpty());
      outer.blocks.add(box.allocator.allocate(40 * MIB, box.stream));
      // The limit of the pool is in the way, not the memory of the allocator.
      assertThrows(
          AllocatorOutOfMemoryException.class, () -> inside.allocate(20 * MIB, box.stream));
      assertEquals(1, outer.blocks.size());
      int before = inner.asked.size();
      outer.reclaim(1);
      assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(70 * MIB));
      assertEquals(before, inner.asked.size(), "the pool would keep the memory");
      first.close();
      inner.blocks.forEach(Allocation::close);
      outer.blocks.forEach(Allocation::close);
    }
  }

  @OnBothMemories
  @DisplayName("45.2 that claim to free memory and free none end in the handler and the report")
  void emptyClaims(VirtualMemoryUse use) {
    try (Sandbox box = small(use)) {
      List<Integer> attempts = new ArrayList<>();
      box.allocator.setOutOfMemoryHandler(
          (report, attempt) -> attempts.add(attempt) && attempt < 2);
      box.allocator.addReclaimer(bytes -> 1);
      try (Allocation held = box.allocate(60 * MIB)) {
        assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(held.getSize()));
      }
      assertEquals(List.of(1, 2), attempts);
    }
  }

  @Test
  @DisplayName("45.2 are passed on by decorators and tags; an allocator without recovery says no")
  void decorators() {
    Map<String, UnaryOperator<Allocator>> decorators =
        Map.of(
            "limiting", each -> LimitingAllocator.over(each, 200 * MIB),
            "retrying", each -> RetryingAllocator.over(each, attempt -> false),
            "tagged", each -> ((CachingAllocator) each).tagged("spare"));
    decorators.forEach(
        (name, decorator) -> {
          try (Sandbox box = small(VirtualMemoryUse.ON);
              Allocator decorated = decorator.apply(box.allocator)) {
            Spare spare = spare(decorated, box, 60);
            assertTrue(decorated.addReclaimer(spare), name);
            box.allocate(70 * MIB);
            assertEquals(List.of(70 * MIB), spare.asked, name);
            decorated.removeReclaimer(spare);
            assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(70 * MIB), name);
            assertEquals(1, spare.asked.size(), name);
          }
        });
    try (Sandbox box = Sandbox.standard();
        Allocator direct = DirectAllocator.builder(box.device).build()) {
      assertFalse(direct.addReclaimer(bytes -> 0));
    }
  }
}
