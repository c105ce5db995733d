package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/** Tests address reservations and mappings of physical memory. */
interface VirtualMemoryContract extends KitContext {

  @Test
  @DisplayName("adjacent mapped pages form one range until they are unmapped")
  default void pagesMakeOneRange() {
    VirtualMemory memory = getVirtualMemory();
    long page = memory.getGranularity();
    assertEquals(1, Long.bitCount(page), "the granularity is a power of two");
    long range = memory.reserve(4 * page);
    long small = memory.create(page);
    long large = memory.create(2 * page);
    memory.map(range + page, page, small);
    memory.map(range + 2 * page, 2 * page, large);
    memory.setAccess(range + page, 3 * page, getDevice());
    try (Stream stream = getDevice().createStream()) {
      stream.fill(range + page, (byte) 5, 3 * page);
      DeviceBytes.assertFilled(stream, range + page, 3 * page, (byte) 5, "three pages");
    }
    memory.unmap(range + page, 3 * page);
    memory.release(small);
    memory.release(large);
    memory.unreserve(range, 4 * page);
  }

  @Test
  @DisplayName("a page keeps its bytes when it moves to another address")
  default void pagesMove() {
    VirtualMemory memory = getVirtualMemory();
    long page = memory.getGranularity();
    long range = memory.reserve(2 * page);
    long handle = memory.create(page);
    memory.map(range, page, handle);
    memory.setAccess(range, page, getDevice());
    try (Stream stream = getDevice().createStream()) {
      stream.fill(range, (byte) 6, page);
      stream.synchronize();
      memory.unmap(range, page);
      memory.map(range + page, page, handle);
      memory.setAccess(range + page, page, getDevice());
      DeviceBytes.assertFilled(stream, range + page, page, (byte) 6, "moved page");
    }
    memory.unmap(range + page, page);
    memory.release(handle);
    memory.unreserve(range, 2 * page);
  }

  @Test
  @DisplayName(
      "a page mapped at two addresses is one page: a stream reads at one what it wrote at the"
          + " other")
  default void pagesAtTwoAddresses() {
    VirtualMemory memory = getVirtualMemory();
    long page = memory.getGranularity();
    long range = memory.reserve(3 * page);
    long handle = memory.create(page);
    try (Stream stream = getDevice().createStream()) {
      for (long address : new long[] {range, range + 2 * page}) {
        memory.map(address, page, handle);
        memory.setAccess(address, page, getDevice());
      }
      stream.fill(range, (byte) 8, page);
      DeviceBytes.assertFilled(stream, range + 2 * page, page, (byte) 8, "at the other address");
      stream.fill(range + 2 * page, (byte) 9, page);
      stream.synchronize();
      memory.unmap(range + 2 * page, page);
      DeviceBytes.assertFilled(stream, range, page, (byte) 9, "where it still is");
    }
    memory.unmap(range, page);
    memory.release(handle);
    memory.unreserve(range, 3 * page);
  }

  @Test
  @DisplayName("a handle released while mapped lives until it is unmapped")
  default void releaseWhileMapped() {
    VirtualMemory memory = getVirtualMemory();
    long page = memory.getGranularity();
    long free = getDevice().getMemoryInfo().freeBytes();
    long range = memory.reserve(page);
    long handle = memory.create(page);
    memory.map(range, page, handle);
    memory.setAccess(range, page, getDevice());
    memory.release(handle);
    assertTrue(getDevice().getMemoryInfo().freeBytes() <= free - page, "still taken");
    try (Stream stream = getDevice().createStream()) {
      stream.fill(range, (byte) 7, page);
      DeviceBytes.assertFilled(stream, range, page, (byte) 7, "released and mapped");
    }
    memory.unmap(range, page);
    memory.unreserve(range, page);
  }

  @Test
  @DisplayName("sizes and addresses off the granularity are errors that change nothing")
  default void granularityIsKept() {
    VirtualMemory memory = getVirtualMemory();
    long page = memory.getGranularity();
    long range = memory.reserve(2 * page);
    long handle = memory.create(page);
    assertAll(
        () -> assertThrows(InvalidArgumentException.class, () -> memory.reserve(0)),
        () -> assertThrows(InvalidArgumentException.class, () -> memory.reserve(page + 1)),
        () -> assertThrows(InvalidArgumentException.class, () -> memory.create(0)),
        () -> assertThrows(InvalidArgumentException.class, () -> memory.create(page - 1)),
        () -> assertThrows(InvalidArgumentException.class, () -> memory.create(-page)),
        () ->
            assertThrows(
                InvalidArgumentException.class, () -> memory.map(range + 4096, page, handle)),
        () -> assertThrows(InvalidArgumentException.class, () -> memory.unmap(range + 1, page)));
    memory.map(range, page, handle);
    memory.unmap(range, page);
    memory.release(handle);
    memory.unreserve(range, 2 * page);
    forgetMisuse();
  }

  @Test
  @DisplayName("addresses cost no memory, and too many pages are out of memory")
  default void addressesAreCheapAndPagesAreNot() {
    VirtualMemory memory = getVirtualMemory();
    long page = memory.getGranularity();
    long total = getDevice().getMemoryInfo().totalBytes() / page * page;
    long range = memory.reserve(2 * total);
    assertThrows(DeviceOutOfMemoryException.class, () -> memory.create(2 * total));
    long handle = memory.create(page);
    memory.release(handle);
    memory.unreserve(range, 2 * total);
    assertThrows(DeviceOutOfMemoryException.class, () -> memory.create(1024 * ByteSize.TIB));
  }

  private VirtualMemory getVirtualMemory() {
    assumeSupported(Capability.VIRTUAL_MEMORY);
    return getDevice().getVirtualMemory();
  }
}
