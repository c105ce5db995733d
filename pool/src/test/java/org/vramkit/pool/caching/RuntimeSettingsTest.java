package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;

@DisplayName("17.26 Settings of a running allocator")
class RuntimeSettingsTest {

  @OnBothMemories
  @DisplayName("17.26 the out-of-memory handler can change at run time, for private pools too")
  void handler(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use, b -> b.limit(100 * MIB));
        PrivatePool pool = box.allocator.createPool()) {
      assertSame(OutOfMemoryHandler.NONE, box.allocator.getOutOfMemoryHandler());
      Allocation expendable = box.allocate(60 * MIB);
      assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(80 * MIB));
      OutOfMemoryHandler helper =
          (report, attempt) -> {
            expendable.close();
            return attempt == 1;
          };
      box.allocator.setOutOfMemoryHandler(helper);
      assertSame(helper, box.allocator.getOutOfMemoryHandler());
      pool.getAllocator().allocate(80 * MIB, box.stream).close();
    }
  }

  @ParameterizedTest(name = "{0} bytes")
  @ValueSource(longs = {1, 512, 513, 1000, MIB, 84 * MIB, 84 * MIB + 1})
  @DisplayName("17.26 the size that a request becomes can be asked for")
  void sizeOf(long bytes) {
    for (String divisions : new String[] {"none", "4"}) {
      try (Sandbox box = Sandbox.with(b -> b.roundingDivisions(divisions))) {
        box.allocate(bytes);
        assertEquals(box.statistics().allocated().current(), box.allocator.sizeOf(bytes));
      }
    }
  }

  @Test
  @DisplayName("17.26 nothing has the size of nothing, and sizes that are none are refused")
  void noSize() {
    try (Sandbox box = Sandbox.standard()) {
      assertEquals(0, box.allocator.sizeOf(0));
      for (long bytes : new long[] {-1, (1L << 60) + 1}) {
        InvalidArgumentException e =
            assertThrows(InvalidArgumentException.class, () -> box.allocator.sizeOf(bytes));
        assertTrue(e.toString().contains(bytes + " bytes"), e.toString());
      }
    }
  }

  @OnBothMemories
  @DisplayName("42.26 the size of a request is what it adds to allocated where memory is new")
  void sizeOfNewMemory(VirtualMemoryUse use) {
    Random random = new Random(26);
    for (int i = 0; i < 100; i++) {
      long bytes = i == 0 ? 11 * MIB + 5 : 1 + random.nextInt((int) (40 * MIB));
      try (Sandbox box = Sandbox.on(use)) {
        box.allocate(bytes);
        assertEquals(
            box.statistics().allocated().current(), box.allocator.sizeOf(bytes), bytes + " bytes");
      }
    }
  }

  @OnBothMemories
  @DisplayName("42.26 a request above a lowered limit is refused, whatever lies free")
  void aboveALoweredLimit(VirtualMemoryUse use) {
    for (long bytes : new long[] {4096, MIB, 6 * MIB, 60 * MIB}) {
      try (Sandbox box = Sandbox.on(use);
          PrivatePool pool = box.allocator.createPool()) {
        Allocation late = box.allocate(bytes);
        box.allocate(bytes).close();
        pool.getAllocator().allocate(bytes, box.stream).close();
        box.allocator.setLimit(bytes - 1);
        late.close();
        assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(bytes));
        assertThrows(
            AllocatorOutOfMemoryException.class,
            () -> box.allocator.allocateAligned(bytes, 4096, box.stream));
        assertThrows(
            AllocatorOutOfMemoryException.class,
            () -> pool.getAllocator().allocate(bytes, box.stream));
        box.allocator.setLimit(Long.MAX_VALUE);
        box.allocate(bytes);
      }
    }
  }
}
