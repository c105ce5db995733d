package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.DeviceMemory;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/** Tests plain allocation. */
interface DeviceMemoryContract extends KitContext {

  /** The alignment of every address. */
  long ALIGNMENT = 256;

  @Test
  @DisplayName("R1 addresses are aligned to 256 bytes and live ranges never overlap")
  default void plainAddressesAreAlignedAndApart() {
    DeviceMemory memory = getDevice().getMemory();
    Map<Long, Long> live = new TreeMap<>();
    long[] sizes = {1, 255, 256, 257, 4096, 100_001, ByteSize.MIB, 3 * ByteSize.MIB + 1};
    try {
      for (long size : sizes) {
        live.put(memory.allocate(size), size);
        live.put(memory.allocate(size), size);
      }
      assertEquals(2 * sizes.length, live.size(), "distinct addresses");
      long end = 0;
      for (Map.Entry<Long, Long> range : live.entrySet()) {
        assertEquals(0, range.getKey() % ALIGNMENT, "alignment");
        assertTrue(range.getKey() >= end, "overlap at " + Long.toHexString(range.getKey()));
        end = range.getKey() + range.getValue();
      }
    } finally {
      live.keySet().forEach(memory::free);
    }
  }

  @Test
  @DisplayName("plain allocation refuses sizes that are not positive")
  default void plainSizesArePositive() {
    DeviceMemory memory = getDevice().getMemory();
    for (long size : new long[] {0, -1, Long.MIN_VALUE}) {
      assertThrows(InvalidArgumentException.class, () -> memory.allocate(size), "size " + size);
    }
  }

  @Test
  @DisplayName("plain memory is freed by its address, once")
  default void plainFreeNeedsTheAddress() {
    DeviceMemory memory = getDevice().getMemory();
    long address = memory.allocate(4096);
    assertThrows(InvalidArgumentException.class, () -> memory.free(address + 256));
    memory.free(address);
    assertThrows(InvalidArgumentException.class, () -> memory.free(address));
    forgetMisuse();
  }

  @Test
  @DisplayName("R9 a petabyte is out of memory, and the device stays usable")
  default void plainOutOfMemory() {
    DeviceMemory memory = getDevice().getMemory();
    DeviceOutOfMemoryException error =
        assertThrows(DeviceOutOfMemoryException.class, () -> memory.allocate(1024 * ByteSize.TIB));
    assertEquals(1024 * ByteSize.TIB, error.getRequestedBytes());
    assertUsable();
  }

  @Test
  @DisplayName("17 more than half of the free memory fits once, and again after it was freed")
  default void plainMemoryIsFinite() {
    DeviceMemory memory = getDevice().getMemory();
    long size = getDevice().getMemoryInfo().freeBytes() / 100 * 60;
    long address = memory.allocate(size);
    try {
      assertThrows(DeviceOutOfMemoryException.class, () -> memory.allocate(size));
      assertUsable();
    } finally {
      memory.free(address);
    }
    memory.free(memory.allocate(size));
  }

  private void assertUsable() {
    withMemory(
        4096,
        (stream, address) -> {
          stream.fill(address, (byte) 8, 4096);
          DeviceBytes.assertFilled(stream, address, 4096, (byte) 8, "after out of memory");
        });
  }
}
