package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/** Tests the life cycle of leases, invalid arguments, and the close of a workspace. */
interface WorkspaceLeaseContract extends WorkspaceContext {

  @Test
  @DisplayName(
      "S1.3 leases have at least the requested size, are aligned to 256 bytes, and do"
          + " not overlap")
  default void leasesAreApart() {
    TreeMap<Long, WorkspaceLease> leased = new TreeMap<>();
    try (Stream stream = getDevice().createStream()) {
      for (long bytes : new long[] {0, 1, 1000, 1024, 1025, 100_000, ByteSize.MIB, ByteSize.MIB}) {
        WorkspaceLease lease = getWorkspace().acquire(bytes, stream);
        assertTrue(lease.getSize() >= bytes, () -> lease + " for " + bytes);
        leased.put(lease.getAddress(), lease);
      }
      assertEquals(8, leased.size(), "distinct addresses");
      long end = 0;
      for (WorkspaceLease lease : leased.values()) {
        assertEquals(0, lease.getAddress() % 256, "alignment");
        assertTrue(lease.getAddress() >= end, "overlap");
        end = lease.getAddress() + lease.getSize();
      }
      leased.values().forEach(WorkspaceLease::close);
    }
  }

  @Test
  @DisplayName("S1.2 a returned slab serves the next lease of its class")
  default void slabsAreReused() {
    try (Stream stream = getDevice().createStream()) {
      WorkspaceLease first = getWorkspace().acquire(5000, stream);
      long address = first.getAddress();
      long size = first.getSize();
      first.close();
      assertEquals(1, getWorkspace().getFreeSlabs());
      assertEquals(size, getWorkspace().getFreeBytes());
      try (WorkspaceLease next = getWorkspace().acquire(size, stream)) {
        assertEquals(address, next.getAddress());
        assertEquals(0, getWorkspace().getFreeSlabs());
        assertEquals(0, getWorkspace().getFreeBytes());
      }
    }
  }

  @Test
  @DisplayName("S1.3 a closed lease cannot be used, and closing it twice returns one slab")
  default void useAfterClose() {
    try (Stream stream = getDevice().createStream()) {
      WorkspaceLease closed = getWorkspace().acquire(5000, stream);
      closed.close();
      closed.close();
      assertEquals(1, getWorkspace().getFreeSlabs());
      try (WorkspaceLease owner = getWorkspace().acquire(5000, stream)) {
        closed.close();
        assertAll(
            () -> assertThrows(ClosedException.class, closed::getAddress),
            () -> assertThrows(ClosedException.class, closed::getSize),
            () -> assertTrue(owner.getSize() >= 5000),
            () -> assertEquals(0, getWorkspace().getFreeSlabs()));
      }
    }
  }

  @Test
  @DisplayName("S1 negative sizes are refused")
  default void negativeSize() {
    try (Stream stream = getDevice().createStream()) {
      for (long bytes : new long[] {-1, Long.MIN_VALUE}) {
        assertThrows(InvalidArgumentException.class, () -> getWorkspace().acquire(bytes, stream));
      }
      assertEquals(0, getAllocator().getStatistics().allocations().current());
    }
  }

  @Test
  @DisplayName("S1 a stream of another device is refused")
  default void streamOfAnotherDevice() {
    try (Stream foreign = getSecondDevice().createStream()) {
      assertThrows(InvalidArgumentException.class, () -> getWorkspace().acquire(4096, foreign));
    }
  }

  @Test
  @DisplayName("S1.6 an absurd size is out of memory, and the workspace stays usable")
  default void outOfMemory() {
    try (Stream stream = getDevice().createStream();
        WorkspaceLease live = getWorkspace().acquire(4096, stream)) {
      stream.fill(live.getAddress(), (byte) 5, 4096);
      assertThrows(
          DeviceOutOfMemoryException.class,
          () -> getWorkspace().acquire(1024 * ByteSize.TIB, stream));
      DeviceBytes.assertFilled(stream, live.getAddress(), 4096, (byte) 5, "live lease");
      getWorkspace().acquire(4096, stream).close();
      assertEquals(1, getWorkspace().getFreeSlabs());
    }
  }

  @Test
  @DisplayName(
      "S1 a closed workspace refuses leases and keeps no slabs, and open leases can be" + " closed")
  default void closed() {
    try (Stream stream = getDevice().createStream()) {
      WorkspaceLease leased = getWorkspace().acquire(4096, stream);
      getWorkspace().acquire(ByteSize.MIB, stream).close();
      getWorkspace().close();
      getWorkspace().close();
      assertEquals(0, getWorkspace().getFreeSlabs());
      assertThrows(ClosedException.class, () -> getWorkspace().acquire(4096, stream));
      stream.fill(leased.getAddress(), (byte) 1, leased.getSize());
      leased.close();
      assertEquals(0, getWorkspace().getFreeBytes());
      assertEquals(0, getAllocator().getStatistics().allocations().current());
    }
  }
}
