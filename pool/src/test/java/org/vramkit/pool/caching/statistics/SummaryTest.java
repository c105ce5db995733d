package org.vramkit.pool.caching.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Figure;
import org.vramkit.api.device.Stream;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("42.28 The figures of an allocator as text")
class SummaryTest {
  private static final long MIB = ByteSize.MIB;

  private final SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
  private final Stream stream = backend.getDevice(0).createStream("copies");

  @AfterEach
  void nothingLeft() {
    stream.close();
    assertEquals(List.of(), backend.getLeaks());
    backend.close();
  }

  @Test
  @DisplayName("in a line: device, live, reserved, the limit where there is one, and a close")
  void line() {
    CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
    try (Allocation held = allocator.allocate(3 * MIB, stream)) {
      assertEquals(
          "caching allocator of device 0: live 3.00 MiB in 1 allocation, reserved "
              + ByteSize.format(allocator.getStatistics().reserved().current()),
          allocator.toString());
      assertEquals(3 * MIB, held.getSize());
    }
    allocator.setLimit(64 * MIB);
    allocator.emptyCache();
    allocator.close();
    assertEquals(
        "caching allocator of device 0: live 0 B in 0 allocations, reserved 0 B, limit 64.00 MiB,"
            + " closed",
        allocator.toString());
  }

  @Test
  @DisplayName("is a table of the statistics, the tags and the streams")
  void table() {
    try (CachingAllocator allocator =
            CachingAllocator.builder(backend.getDevice(0)).limit(64 * MIB).build();
        Allocation held = allocator.tagged("weights").allocate(3 * MIB, stream)) {
      allocator.allocate(5 * MIB, stream).close();
      String summary = allocator.getSummary();
      assertTrue(summary.startsWith("device 0, "), summary);
      assertTrue(summary.lines().findFirst().orElseThrow().endsWith("limit 64.00 MiB"), summary);
      assertRow(summary, "requested", "3.00 MiB", "8.00 MiB", "8.00 MiB", "5.00 MiB");
      assertRow(summary, "allocations", "1", "2", "2", "1");
      for (Figure each : Figure.values()) {
        assertTrue(summary.contains(each.getName() + " "), () -> each + " is not in\n" + summary);
      }
      assertRow(summary, "weights", "3.00 MiB", "3.00 MiB", "1");
      assertRow(summary, "copies (0x" + Long.toHexString(stream.getHandle()) + ")", "3.00 MiB");
      assertEquals(3 * MIB, held.getSize());
    }
  }

  private static void assertRow(String summary, String name, String... values) {
    String row = name + " " + String.join(" ", values);
    assertTrue(
        summary.lines().map(line -> line.replaceAll(" +", " ")).anyMatch(l -> l.startsWith(row)),
        () -> row + " is no row of\n" + summary);
  }

  @Test
  @DisplayName("fits 80 columns, whatever the figures and the names are")
  void width() {
    Random random = new Random(28);
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0))) {
      List<Allocation> held = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        String tag = "tag " + "x".repeat(random.nextInt(60)) + "\n" + i;
        held.add(allocator.tagged(tag).allocate(1 + random.nextInt(1 << 24), stream));
      }
      held.forEach(Allocation::close);
      String summary = allocator.getSummary();
      assertTrue(summary.lines().allMatch(line -> line.length() <= 80), summary);
      assertTrue(summary.contains("and 295 more"), summary);
    }
  }
}
