package org.vramkit.pool.caching.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.HistoryEvent;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("42.27 The name of a stream stands beside its handle")
class NamedStreamsTest {
  private static final long MIB = ByteSize.MIB;

  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final Stream copies = backend.getDevice(0).createStream("copies");
  private final String words = "copies (0x" + Long.toHexString(copies.getHandle()) + ")";

  @AfterEach
  void nothingLeft() {
    copies.close();
    assertEquals(List.of(), backend.getLeaks());
    assertEquals(List.of(), backend.getHazards());
    backend.close();
  }

  private CachingAllocator limited() {
    return CachingAllocator.builder(backend.getDevice(0)).limit(64 * MIB).history(MIB).build();
  }

  @Test
  @DisplayName("in statistics, in snapshots and where an allocator cannot close")
  void figures() {
    try (CachingAllocator allocator = limited()) {
      Allocation held = allocator.allocate(MIB, copies);
      assertTrue(
          allocator.getStatistics().streams().contains(new StreamStatistics(words, MIB, 0, 0)),
          () -> allocator.getStatistics().streams().toString());
      assertTrue(
          allocator.getSnapshot().segments().get(0).blocks().stream()
              .anyMatch(block -> block.stream().equals(words)));
      IllegalStateException refused = assertThrows(IllegalStateException.class, allocator::close);
      assertTrue(refused.toString().contains(words), refused.toString());
      held.close();
    }
  }

  @Test
  @DisplayName("in the message and the report of an out of memory, which the history keeps")
  void outOfMemory() {
    try (CachingAllocator allocator = limited()) {
      AllocatorOutOfMemoryException refused =
          assertThrows(
              AllocatorOutOfMemoryException.class, () -> allocator.allocate(65 * MIB, copies));
      assertTrue(refused.toString().contains("on stream " + words), refused.toString());
      assertEquals(words, refused.getReport().stream());
      HistoryEvent last = null;
      for (HistoryEvent each : allocator.getHistory()) {
        last = each;
      }
      assertEquals(copies.getHandle(), last == null ? 0 : last.stream());
    }
  }

  @Test
  @DisplayName("in a history, by the handle of its events, also once the stream is closed")
  void history() {
    try (CachingAllocator allocator = limited()) {
      long handle;
      try (Stream named = backend.getDevice(0).createStream("short");
          Stream nameless = backend.getDevice(0).createStream("")) {
        allocator.allocate(MIB, named).close();
        allocator.allocate(MIB, nameless).close();
        assertEquals("", allocator.getHistory().getStreamName(nameless.getHandle()));
        handle = named.getHandle();
      }
      assertEquals("short", allocator.getHistory().getStreamName(handle));
    }
  }

  @Test
  @DisplayName("in the statistics of the other allocators; two of one name are distinguished")
  void others() {
    try (Allocator allocator = DirectAllocator.builder(backend.getDevice(0)).build();
        Stream second = backend.getDevice(0).createStream("copies");
        Allocation one = allocator.allocate(512, copies);
        Allocation two = allocator.allocate(512, second)) {
      assertEquals(2, allocator.getStatistics().streams().size());
      assertEquals(one.getStream().getName(), two.getStream().getName());
      assertTrue(
          allocator.getStatistics().streams().contains(new StreamStatistics(words, 512, 0, 0)));
    }
  }
}
