package org.vramkit.pool.caching.failure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.api.units.ByteSize.GIB;
import static org.vramkit.pool.caching.Sandbox.MIB;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.allocator.OutOfMemoryReport;
import org.vramkit.api.error.DriverException;
import org.vramkit.pool.caching.OnBothMemories;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.SnapshotChecks;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.driver.Fault;

@DisplayName("After a call that the driver failed the caching allocator")
class DriverFailureTest {

  @Test
  @DisplayName("shows pages that lie nowhere in its snapshot, so that it adds up")
  void showsUnplacedPages() {
    try (Sandbox box = Sandbox.on(VirtualMemoryUse.ON)) {
      box.backend.getFaults().failNth("cuMemMap", 2, Fault.UNKNOWN);
      box.backend.getFaults().failNext("cuMemRelease", Fault.UNKNOWN);
      assertThrows(DriverException.class, () -> box.allocate(8 * MIB));
      assertEquals(8 * MIB, box.allocator.getSnapshot().unplacedBytes());
      SnapshotChecks.assertAgrees(box.allocator);
      box.allocate(8 * MIB);
      assertEquals(0, box.allocator.getSnapshot().unplacedBytes());
    }
  }

  @OnBothMemories
  @DisplayName("reports the cause of an out of memory, although the driver hides the free memory")
  void reportsWithoutTheDriver(VirtualMemoryUse use) {
    try (Sandbox box = Sandbox.on(use)) {
      Allocation most = box.allocate(6 * GIB);
      box.backend.getFaults().failEvery("cuMemGetInfo", Fault.UNKNOWN);
      AllocatorOutOfMemoryException e =
          assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(3 * GIB));
      OutOfMemoryReport report = e.getReport();
      assertNull(report.device());
      assertTrue(report.steps().toString().contains("999"), () -> report.steps().toString());
      assertEquals(most.getSize(), report.liveByTag().get(""));
      assertTrue(
          report.advice().contains("the driver did not report the device's free memory"),
          report.advice());
      assertTrue(e.toString().contains("the device's free memory is unknown"), e.toString());
    }
  }
}
