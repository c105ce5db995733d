package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.allocator.TagScope;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.api.allocator.Tags;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;

@SuppressWarnings("try") // a scope is there to be open
@DisplayName("22.1 Memory is put down to tags")
class TagsTest {
  private static final long MIB = ByteSize.MIB;

  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final SimStream stream = backend.getDevice(0).createStream();
  private final CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));

  @AfterEach
  void nothingLeft() {
    assertEquals(0, allocator.getStatistics().getLiveBytes());
    allocator.close();
    stream.close();
    assertEquals(List.of(), backend.getLeaks());
    backend.close();
  }

  @Test
  @DisplayName("live, peak, number and bytes of what a scope's thread allocates, hits and misses")
  void scope() {
    try (TagScope scope = Tags.open("train/forward")) {
      Allocation first = allocator.allocate(MIB, stream);
      Allocation second = allocator.allocate(MIB, stream);
      first.close();
      assertEquals(List.of(new TagUsage("train/forward", MIB, 2 * MIB, 2, 2 * MIB)), tags());
      allocator.allocate(MIB, stream).close();
      assertEquals(List.of(new TagUsage("train/forward", MIB, 2 * MIB, 3, 3 * MIB)), tags());
      second.close();
      assertEquals("train/forward", scope.getTag());
    }
    allocator.allocate(MIB, stream).close();
    assertEquals(List.of(new TagUsage("train/forward", 0, 2 * MIB, 3, 3 * MIB)), tags());
  }

  @Test
  @DisplayName("the scope opened last counts, in whatever order they are closed")
  void nested() {
    TagScope outer = Tags.open("outer");
    TagScope inner = Tags.open("inner");
    outer.close();
    assertEquals("inner", Tags.current());
    TagScope innermost = Tags.open("innermost");
    inner.close();
    assertEquals("innermost", Tags.current());
    innermost.close();
    assertEquals("", Tags.current());
  }

  @Test
  @DisplayName("an allocator's own tag counts more than a scope's, and an empty one clears it")
  void allocatorsTag() {
    try (TagScope scope = Tags.open("scope");
        Allocation weights = allocator.tagged("weights").allocate(MIB, stream);
        Allocation scoped = allocator.allocate(MIB, stream);
        TagScope none = Tags.open("");
        Allocation untagged = allocator.allocate(MIB, stream)) {
      assertEquals(
          List.of(
              new TagUsage("scope", MIB, MIB, 1, MIB), new TagUsage("weights", MIB, MIB, 1, MIB)),
          tags());
      assertEquals(3 * MIB, allocator.getStatistics().allocated().current());
    }
  }

  @Test
  @DisplayName("a snapshot has the usage of each tag beside its blocks, a private pool's its own")
  void snapshot() {
    allocator.tagged("closed").allocate(MIB, stream).close();
    try (Allocation weights = allocator.tagged("weights").allocate(2 * MIB, stream);
        PrivatePool pool = allocator.createPool();
        TagScope scope = Tags.open("own");
        Allocation own = pool.getAllocator().allocate(MIB, stream)) {
      TagUsage ofPool = new TagUsage("own", MIB, MIB, 1, MIB);
      assertEquals(
          List.of(
              new TagUsage("weights", 2 * MIB, 2 * MIB, 1, 2 * MIB),
              ofPool,
              new TagUsage("closed", 0, MIB, 1, MIB)),
          allocator.getSnapshot().tags());
      assertEquals(List.of(ofPool), pool.getSnapshot().tags());
    }
  }

  @Test
  @DisplayName(
      "an out of memory names who holds most and who wanted more, in the message and the report")
  void outOfMemory() {
    try (Allocation weights = allocator.tagged("weights").allocate(6 * ByteSize.GIB, stream)) {
      AllocatorOutOfMemoryException refused =
          assertThrows(
              AllocatorOutOfMemoryException.class,
              () -> allocator.tagged("cache").allocate(4 * ByteSize.GIB, stream));
      assertEquals("cache", refused.getReport().tag());
      assertTrue(
          String.valueOf(refused.getMessage()).contains("4.00 GiB for cache on"),
          refused::toString);
      assertEquals(6 * ByteSize.GIB, refused.getReport().liveByTag().get("weights"));
      assertTrue(
          String.valueOf(refused.getMessage()).contains("(weights 6.00 GiB"), refused::toString);
    }
  }

  @Test
  @DisplayName("threads on streams of their own: sums are exact, and the peak is within its bounds")
  void threads() throws Exception {
    int threads = 4;
    int blocks = 40;
    CyclicBarrier all = new CyclicBarrier(threads);
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        running.add(
            executor.submit(
                () -> {
                  try (SimStream own = backend.getDevice(0).createStream();
                      TagScope scope = Tags.open("shared")) {
                    List<Allocation> held = new ArrayList<>();
                    for (int round = 0; round < 10; round++) {
                      for (int j = 0; j < blocks; j++) {
                        held.add(allocator.allocate(MIB, own));
                      }
                      all.await();
                      held.forEach(Allocation::close);
                      held.clear();
                      all.await();
                    }
                    return null;
                  }
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
    } finally {
      executor.shutdownNow();
    }
    TagUsage shared = tags().get(0);
    assertEquals(0, shared.liveBytes());
    assertEquals(10L * threads * blocks, shared.allocations());
    assertEquals(10L * threads * blocks * MIB, shared.allocatedBytes());
    long atOnce = MIB * threads * blocks;
    assertTrue(shared.peakBytes() >= atOnce, shared::toString);
    assertTrue(shared.peakBytes() <= atOnce + 8 * MIB * threads, shared::toString);
  }

  @Test
  @DisplayName("beyond the limit of tags, the others are counted together")
  void manyTags() {
    int tags = 3000;
    for (int i = 0; i < tags; i++) {
      allocator.tagged("request " + i).allocate(100, stream).close();
    }
    List<TagUsage> usages = tags();
    assertTrue(usages.size() <= 1100, () -> usages.size() + " tags");
    assertEquals(tags, usages.stream().mapToLong(TagUsage::allocations).sum());
    assertTrue(usages.stream().anyMatch(each -> each.tag().equals(TagUsage.OTHERS)));
  }

  private List<TagUsage> tags() {
    return allocator.getStatistics().tags();
  }

  @Test
  @DisplayName("scopes that overlap, each opened before the last is closed, are not kept")
  void overlapping() throws Exception {
    TagScope before = Tags.open("phase 0");
    TagScope current = Tags.open("phase 1");
    WeakReference<TagScope> early = new WeakReference<>(before);
    for (int i = 2; i < 10; i++) {
      TagScope next = Tags.open("phase " + i);
      before.close();
      before = current;
      current = next;
      assertEquals("phase " + i, Tags.current());
    }
    for (int i = 0; i < 50 && early.get() != null; i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertNull(early.get());
    current.close();
    assertEquals("phase 8", Tags.current());
    before.close();
    assertEquals("", Tags.current());
  }
}
