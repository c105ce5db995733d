package org.vramkit.api.allocator;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.error.DriverStatus;

@DisplayName("Figures and reports of allocators")
class ReportsTest {

  @Test
  @DisplayName("statistics derive live and idle bytes, and keep their own list of streams")
  void statistics() {
    List<StreamStatistics> streams = new ArrayList<>();
    AllocatorStatistics statistics =
        new AllocatorStatistics(
            Map.of(
                Figure.ALLOCATED,
                new Stat(30, 30, 30, 0),
                Figure.LIVE,
                new Stat(40, 40, 40, 0),
                Figure.RESERVED,
                new Stat(100, 120, 150, 50),
                Figure.CACHED,
                Stat.of(50)),
            streams,
            List.of());
    streams.add(new StreamStatistics("shared", 0, 0, 10));
    assertAll(
        () -> assertEquals(40, statistics.getLiveBytes()),
        () -> assertEquals(70, statistics.getIdleBytes()),
        () -> assertEquals(50, statistics.cachedBytes()),
        () -> assertEquals(Stat.ZERO, statistics.requested()),
        () -> assertEquals(List.of(), statistics.streams()),
        () ->
            assertThrows(UnsupportedOperationException.class, () -> statistics.streams().clear()));
  }

  @Test
  @DisplayName("an out-of-memory report keeps its own collections and travels with the error")
  void outOfMemoryReport() {
    Map<String, Long> tags = new HashMap<>(Map.of("weights", 7L));
    Map<String, Long> owners = new HashMap<>(Map.of("Model.load(Model.java:7)", 5L));
    OutOfMemoryReport report =
        new OutOfMemoryReport(
            100,
            512,
            "0x1",
            "train",
            new MemoryInfo(10, 30),
            Long.MAX_VALUE,
            20,
            0,
            List.of(),
            Map.of(),
            tags,
            owners,
            List.of("flush: 0"),
            "close 512 B");
    tags.clear();
    owners.clear();
    AllocatorOutOfMemoryException error =
        new AllocatorOutOfMemoryException("no room", report, DriverStatus.NONE, null);
    assertAll(
        () -> assertEquals(Map.of("weights", 7L), report.liveByTag()),
        () -> assertEquals(Map.of("Model.load(Model.java:7)", 5L), report.requestedByOwner()),
        () -> assertSame(report, error.getReport()),
        () -> assertEquals(100, error.getRequestedBytes()),
        () -> assertEquals(20, requireNonNull(report.device()).getUsedBytes()));
  }
}
