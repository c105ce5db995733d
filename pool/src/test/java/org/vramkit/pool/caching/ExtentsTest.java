package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.vramkit.pool.caching.Sandbox.MIB;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.GpuException;
import org.vramkit.pool.caching.internal.heap.PageHeap;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

/** A block has four extents here: 16 MiB each where it has 64 MiB. */
@Tag("virtual-time")
@DisplayName("Memory is taken from the driver in extents")
class ExtentsTest {
  private static final long LARGE = 64 * MIB;
  private static final long EXTENT = 16 * MIB;
  private static final long HOURS = 10_000_000_000_000L;

  private final Sandbox box = Sandbox.uncached(VirtualMemoryUse.ON, each -> each.extentShare(1));

  @AfterEach
  void close() {
    SnapshotChecks.assertAgrees(box.allocator);
    assertEquals(reserved(), box.device.getMemoryInfo().getUsedBytes(), "as the driver sees");
    box.close();
  }

  @Test
  @DisplayName("of which a large block has few, each of one call")
  void few() {
    box.allocate(LARGE);
    assertEquals(4, calls("cuMemCreate"));
    assertEquals(4, calls("cuMemMap"));
    assertEquals(1, calls("cuMemSetAccess"));
  }

  @Test
  @DisplayName("as large as a share of all memory, and no larger than 32 MiB")
  void share() {
    try (Sandbox shared = Sandbox.uncached(VirtualMemoryUse.ON, each -> each.extentShare(0.125))) {
      shared.allocate(LARGE);
      assertEquals(8, shared.backend.getDriverCalls().getCount("cuMemCreate"));
      shared.allocate(LARGE);
      assertEquals(8 + 4, shared.backend.getDriverCalls().getCount("cuMemCreate"));
      shared.allocate(1024 * MIB);
      assertEquals(8 + 4 + 32, shared.backend.getDriverCalls().getCount("cuMemCreate"));
    }
  }

  @Test
  @DisplayName("which move as a whole to a block that needs so many pages")
  void moveWhole() {
    freeLarge();
    box.backend.getDriverCalls().reset();
    box.allocate(LARGE + EXTENT);
    assertEquals(4, calls("cuMemMap"), "of 20 MiB each");
    assertEquals(LARGE + EXTENT + 2 * MIB, reserved());
    assertEquals(32, box.statistics().pagesMoved());
  }

  @Test
  @DisplayName("and of which a small block has its own part alone, the rest goes back")
  void cut() {
    freeLarge();
    box.allocate(2 * MIB);
    assertEquals(LARGE - EXTENT + 4 * MIB, reserved());
    assertEquals(1, calls("cuMemRelease"));
    box.allocate(3 * EXTENT);
    assertEquals(LARGE + 4 * MIB - EXTENT, reserved());
    assertEquals(1, calls("cuMemRelease"), "what fits extents takes them as they are");
  }

  @Test
  @DisplayName("but what a stream may still use of one is neither cut nor moved")
  void busy() {
    freeBusyLarge();
    Allocation small = box.allocate(2 * MIB);
    box.busy(box.stream, small, HOURS);
    assertEquals(0, calls("cuMemUnmap"));
    small.close();
    box.allocate(2 * MIB);
    box.device.synchronize();
    box.allocator.trim(0);
    assertEquals(EXTENT, reserved(), "what the small block pins");
  }

  @Test
  @DisplayName("whichever end of it a small block pins")
  void busyAbove() {
    freeBusyLarge();
    Allocation low = box.allocate(LARGE - 2 * MIB);
    Allocation high = box.allocate(2 * MIB);
    box.busy(box.stream, high, HOURS);
    low.close();
    box.device.synchronize();
    box.allocator.trim(0);
    box.busy(box.stream, high, 1);
    assertEquals(EXTENT, reserved());
  }

  @Test
  @DisplayName("where a block begins in one and ends in another, both are cut")
  void bothEnds() {
    Allocation first = box.allocate(LARGE);
    Allocation second = box.allocate(LARGE);
    first.close();
    second.close();
    box.allocate(8 * MIB);
    assertEquals(2 * LARGE - EXTENT + 8 * MIB, reserved());
    box.allocate(2 * EXTENT);
    assertEquals(2 * LARGE - EXTENT + 8 * MIB, reserved(), "8 MiB without, 8 MiB of another");
    assertEquals(2, calls("cuMemRelease"));
  }

  @Test
  @DisplayName("nor more than is needed where sizes are no multiples of a page")
  void oddSizes() {
    freeLarge();
    box.allocator.trim(Long.MAX_VALUE);
    Allocation odd = box.allocate(EXTENT - MIB / 2);
    assertEquals(LARGE + 2 * MIB, reserved(), "its last page is as large");
    box.allocate(MIB / 4);
    assertEquals(LARGE + 2 * MIB, reserved(), "the rest of that page");
    odd.close();
    box.allocator.trim(0);
    assertEquals(4 * MIB, reserved());
  }

  @Test
  @DisplayName("a request is served from what is free, also where the limit is below it")
  void loweredLimit() {
    freeLarge();
    box.allocator.setLimit(LARGE / 2);
    box.allocate(2 * MIB);
    assertEquals(LARGE - EXTENT + 4 * MIB, reserved());
  }

  @Test
  @DisplayName("trimming goes on to the next extent, and no further")
  void trim() {
    box.allocate(LARGE).close();
    box.allocator.trim(LARGE - 2 * MIB);
    assertEquals(LARGE - EXTENT, reserved());
  }

  @Test
  @DisplayName("one that could not be unmapped is where it was")
  void failingTrim() {
    box.allocate(LARGE).close();
    box.backend.getFaults().failNth("cuMemUnmap", 1, Fault.UNKNOWN);
    assertThrows(GpuException.class, () -> box.allocator.trim(0));
    SnapshotChecks.assertAgrees(box.allocator);
    box.backend.getDriverCalls().reset();
    box.busy(box.stream, box.allocate(LARGE), 1);
    assertEquals(0, calls("cuMemMap"));
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(booleans = {false, true})
  @DisplayName("what was not cut after all may move only once all of it is settled")
  void failingCutOfRun(boolean refused) {
    Allocation own = box.allocate(EXTENT);
    Allocation settled = box.allocate(LARGE);
    box.allocate(2 * MIB);
    settled.close();
    box.allocator.trim(Long.MAX_VALUE);
    box.busy(box.stream, own, HOURS);
    own.close();
    if (refused) {
      box.backend.getFaults().failNth("cuMemCreate", 1, Fault.OUT_OF_MEMORY);
      box.allocate(EXTENT + 8 * MIB);
    } else {
      box.backend.getFaults().failNth("cuMemUnmap", 1, Fault.UNKNOWN);
      assertThrows(GpuException.class, () -> box.allocate(EXTENT + 8 * MIB));
    }
    SnapshotChecks.assertAgrees(box.allocator);
    Allocation block = box.allocate(2 * EXTENT);
    box.allocator.trim(0);
    box.busy(box.stream, block, 1);
    assertEquals(List.of(), box.backend.getHazards());
  }

  @Test
  @DisplayName("that are joined where blocks were small and a large one needs their memory")
  void joined() {
    List<Allocation> small = IntStream.range(0, 32).mapToObj(i -> box.allocate(2 * MIB)).toList();
    Allocation edge = box.allocate(2 * MIB);
    small.forEach(Allocation::close);
    box.backend.getDriverCalls().reset();
    box.allocate(LARGE + 2 * MIB);
    edge.close();
    assertEquals(4, calls("cuMemCreate"));
    assertEquals(31, calls("cuMemRelease"), "one page has a page of its own again");
    assertEquals(LARGE + 4 * MIB, reserved());
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      strings = {"cuMemCreate", "cuMemMap", "cuMemSetAccess", "cuMemUnmap", "cuMemRelease"})
  @DisplayName("and nothing is lost where the driver fails while one is cut")
  void failingCut(String call) {
    freeLarge();
    box.backend.getFaults().failNth(call, 1, Fault.UNKNOWN);
    assertThrows(GpuException.class, () -> box.allocate(2 * MIB));
    SnapshotChecks.assertAgrees(box.allocator);
    box.allocate(2 * MIB);
    assertEquals(LARGE - EXTENT + 4 * MIB, reserved());
  }

  /** A large block was freed, and a page beside it is in use. */
  private void freeLarge() {
    Allocation large = box.allocate(LARGE);
    box.allocate(2 * MIB);
    large.close();
  }

  /** Its stream may still use what was freed, and there is no memory but that. */
  private void freeBusyLarge() {
    box.allocator.setLimit(LARGE);
    Allocation large = box.allocate(LARGE);
    box.busy(box.stream, large, HOURS);
    large.close();
  }

  private long calls(String function) {
    return box.backend.getDriverCalls().getCount(function);
  }

  private long reserved() {
    return box.statistics().reserved().current();
  }

  @Test
  @DisplayName("and what is kept from others anyway serves before what others could have")
  void whatIsKeptAnyway() {
    SimStream second = box.newStream();
    Allocation first = box.allocate(LARGE);
    box.allocate(2 * MIB);
    Allocation other = box.allocate(LARGE, second);
    box.allocate(2 * MIB);
    box.allocator.setLimit(reserved());
    box.busy(box.stream, first, HOURS);
    box.busy(second, other, HOURS);
    first.close();
    other.close();
    // Each stream takes what only it may have: an extent is used in part, and cannot be cut.
    box.allocate(10 * MIB);
    Allocation beside = box.allocate(2 * MIB, second);
    box.device.synchronize();
    box.allocator.setLimit(Long.MAX_VALUE);
    box.allocator.trim(0);
    long before = reserved();
    Allocation fits = box.allocate(12 * MIB, box.newStream());
    assertEquals(beside.getAddress() + 2 * MIB, fits.getAddress());
    assertEquals(before, reserved(), "all of it was there");
  }

  @Test
  @DisplayName("of which the rest cannot move once a block that may not cut them takes a part")
  void movableBeside() {
    Allocation large = box.allocate(LARGE);
    long base = large.getAddress();
    large.close();
    box.device.synchronize();
    box.allocator.trim(Long.MAX_VALUE);
    PageHeap heap = (PageHeap) box.allocator.pools().main().heap;
    long address = base + LARGE - 2 * MIB;
    int cut = heap.table.movableBeside(address, 2 * MIB, true);
    int whole = heap.table.movableBeside(address, 2 * MIB, false);
    assertEquals(LARGE / (2 * MIB), cut, "all of it, for what is cut comes anew");
    assertEquals((LARGE - EXTENT) / (2 * MIB), whole);
  }
}
