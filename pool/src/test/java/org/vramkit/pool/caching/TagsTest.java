package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
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

  private List<TagUsage> tags() {
    return allocator.getStatistics().tags();
  }
}
