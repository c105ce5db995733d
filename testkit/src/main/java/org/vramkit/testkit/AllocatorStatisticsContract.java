package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.allocator.Stat;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;

/** Tests the statistics of an allocator while no call is in progress. */
interface AllocatorStatisticsContract extends AllocatorContext {

  @Test
  @DisplayName("1, S3.3 allocated memory is counted until it is freed")
  default void allocatedFollows() {
    try (Stream stream = getDevice().createStream()) {
      AllocatorStatistics before = getAllocator().getStatistics();
      Allocation allocation = getAllocator().allocate(1, stream);
      AllocatorStatistics held = getAllocator().getStatistics();
      assertAll(
          () -> assertEquals(before.requested().current() + 1, held.requested().current()),
          () -> assertTrue(held.allocated().current() > before.allocated().current()),
          () -> assertEquals(before.allocations().current() + 1, held.allocations().current()));
      allocation.close();
      AllocatorStatistics after = getAllocator().getStatistics();
      assertAll(
          () -> assertEquals(before.requested().current(), after.requested().current()),
          () -> assertEquals(before.allocated().current(), after.allocated().current()),
          () -> assertEquals(before.allocations().current(), after.allocations().current()),
          () -> assertEquals(1, after.allocations().removed() - before.allocations().removed()));
      assertAddsUp();
    }
  }

  @Test
  @DisplayName("R4 current, peak and total follow ten allocations and five frees")
  default void currentPeakAndTotal() {
    try (Stream stream = getDevice().createStream()) {
      List<Allocation> live = allocate(10, stream);
      live.subList(0, 5).forEach(Allocation::close);
      live.subList(0, 5).clear();
      Stat requested = getAllocator().getStatistics().requested();
      assertAll(
          () -> assertEquals(50 * ByteSize.MIB, requested.current()),
          () -> assertEquals(100 * ByteSize.MIB, requested.peak()),
          () -> assertEquals(100 * ByteSize.MIB, requested.added()),
          () -> assertEquals(50 * ByteSize.MIB, requested.removed()));
      live.addAll(allocate(10, stream));
      AllocatorStatistics statistics = getAllocator().getStatistics();
      assertAll(
          () -> assertEquals(150 * ByteSize.MIB, statistics.requested().peak()),
          () -> assertEquals(200 * ByteSize.MIB, statistics.requested().added()),
          () -> assertEquals(15, statistics.allocations().peak()));
      assertAddsUp();
      live.forEach(Allocation::close);
    }
  }

  @Test
  @DisplayName("3 peaks fall only by a reset, which sets them to the current values")
  default void peaksReset() {
    try (Stream stream = getDevice().createStream();
        Allocation kept = getAllocator().allocate(ByteSize.MIB, stream)) {
      allocate(3, stream).forEach(Allocation::close);
      AllocatorStatistics before = getAllocator().getStatistics();
      assertTrue(before.allocated().peak() >= 31 * ByteSize.MIB);
      getDevice().synchronize();
      getAllocator().trim(0);
      assertEquals(before.reserved().peak(), getAllocator().getStatistics().reserved().peak());
      getAllocator().resetPeaks();
      AllocatorStatistics after = getAllocator().getStatistics();
      assertAll(
          () -> assertEquals(kept.getSize(), after.requested().peak()),
          () -> assertEquals(after.allocated().current(), after.allocated().peak()),
          () -> assertEquals(after.reserved().current(), after.reserved().peak()),
          () -> assertEquals(1, after.allocations().peak()));
    }
  }

  @Test
  @DisplayName("S3.4, S4.8 trimming to 0 returns all idle memory and keeps live blocks")
  default void trimGivesBack() {
    try (Stream stream = getDevice().createStream()) {
      Allocation live = getAllocator().allocate(10 * ByteSize.MIB, stream);
      stream.fill(live.getAddress(), (byte) 4, live.getSize());
      allocate(8, stream).forEach(Allocation::close);
      getDevice().synchronize();
      getAllocator().trim(0);
      AllocatorStatistics statistics = getAllocator().getStatistics();
      assertTrue(
          statistics.reserved().current() >= statistics.allocated().current(),
          "live blocks stay reserved");
      assertAddsUp();
      DeviceBytes.assertFilled(stream, live.getAddress(), live.getSize(), (byte) 4, "live block");
      live.close();
      getDevice().synchronize();
      getAllocator().trim(0);
      assertEquals(0, getAllocator().getStatistics().reserved().current());
      assertAddsUp();
    }
  }

  private List<Allocation> allocate(int count, Stream stream) {
    List<Allocation> allocations = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      allocations.add(getAllocator().allocate(10 * ByteSize.MIB, stream));
    }
    return allocations;
  }

  /** Asserts reserved = live + cached + fragments, in total and over the streams. */
  private void assertAddsUp() {
    AllocatorStatistics statistics = getAllocator().getStatistics();
    long byStream =
        statistics.streams().stream()
            .mapToLong(each -> each.liveBytes() + each.cachedBytes() + each.fragmentBytes())
            .sum();
    long live = statistics.streams().stream().mapToLong(StreamStatistics::liveBytes).sum();
    assertAll(
        () ->
            assertEquals(
                statistics.reserved().current(),
                statistics.getLiveBytes() + statistics.cachedBytes() + statistics.fragmentBytes(),
                () -> "reserved = live + cached + fragments: " + statistics),
        () -> assertEquals(statistics.reserved().current(), byStream, () -> "" + statistics),
        () -> assertEquals(statistics.getLiveBytes(), live, () -> "" + statistics));
  }
}
