package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.InvalidArgumentException;

@DisplayName("Pages of any size")
class PageSizeBehavioursTest {

  private static Sandbox withPages(String size) {
    return Sandbox.uncached(VirtualMemoryUse.ON, builder -> builder.set("page-size", size));
  }

  private static long reserved(Sandbox box) {
    return box.statistics().reserved().current();
  }

  @ParameterizedTest(name = "{0}: {1} pages of {2} MiB")
  @DisplayName("are what is taken, rounded up to what the device can map")
  @CsvSource({"least,20,2", "0,20,2", "1MiB,20,2", "2MiB,20,2", "3MiB,10,4", "16MiB,3,16"})
  void taken(String size, int pages, long mib) {
    try (Sandbox box = withPages(size)) {
      box.allocate(40 * MIB);
      assertEquals(pages, box.statistics().driverAllocations());
      assertEquals(pages * mib * MIB, reserved(box));
      SnapshotChecks.assertAgrees(box.allocator);
    }
  }

  @Test
  @DisplayName("hold many small blocks, which need no driver call once a page is there")
  void shared() {
    try (Sandbox box = withPages("16MiB")) {
      box.allocate(MIB);
      box.backend.getDriverCalls().reset();
      for (int i = 0; i < 15; i++) {
        box.allocate(MIB);
      }
      assertEquals(0, box.backend.getDriverCalls().getTotal());
      assertEquals(16 * MIB, reserved(box));
    }
  }

  @Test
  @DisplayName("move as a whole, and only once nothing lies in them")
  void moved() {
    try (Sandbox box = withPages("16MiB")) {
      Allocation hole = box.allocate(28 * MIB);
      Allocation last = box.allocate(4 * MIB);
      hole.close();
      box.allocate(64 * MIB);
      assertEquals(1, box.statistics().pagesMoved(), "the other one holds the last block");
      assertEquals(80 * MIB, reserved(box));
      last.close();
      box.allocator.trim(0);
      assertEquals(64 * MIB, reserved(box));
    }
  }

  @Test
  @DisplayName("are the same in private pools")
  void pools() {
    try (Sandbox box = withPages("16MiB")) {
      try (PrivatePool pool = box.allocator.createPool()) {
        pool.getAllocator().allocate(MIB, box.stream).close();
        assertEquals(16 * MIB, reserved(box));
      }
    }
  }

  @ParameterizedTest(name = "[{0}]")
  @ValueSource(strings = {"-1", "2GiB", "large"})
  @DisplayName("are from 0 to 1 GiB")
  void range(String text) {
    try (Sandbox box = Sandbox.standard()) {
      CachingAllocatorBuilder builder = CachingAllocator.builder(box.device);
      InvalidArgumentException e =
          assertThrows(InvalidArgumentException.class, () -> builder.set("page-size", text));
      assertTrue(e.toString().contains("page") || e.toString().contains(text), e.toString());
    }
  }
}
