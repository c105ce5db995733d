package org.vramkit.pool.caching.defect;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.CachingAllocatorBuilder;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("The checker finds what is planted into a copy of the caching allocator")
@Tag("own-schedules")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("nightly")
class PlantedDefectsTest {
  private static final List<VirtualMemoryUse> MEMORIES =
      List.of(VirtualMemoryUse.ON, VirtualMemoryUse.OFF);

  /** One of each: making a copy takes longer than most findings. */
  private final Map<PlantedDefect, DefectiveCopy> copies = new EnumMap<>(PlantedDefect.class);

  /** How many operations it took, over all memories and schedules. */
  private final Map<PlantedDefect, IntSummaryStatistics> operations =
      new EnumMap<>(PlantedDefect.class);

  static Stream<Arguments> defects() {
    return Arrays.stream(PlantedDefect.values())
        .flatMap(
            defect ->
                MEMORIES.stream()
                    .flatMap(
                        use ->
                            Schedule.all().stream()
                                .map(schedule -> Arguments.of(defect, use, schedule))));
  }

  @ParameterizedTest(name = "{0}; virtual memory {1}, schedule {2}")
  @MethodSource("defects")
  @DisplayName("Orderly traffic over a copy in which")
  void found(PlantedDefect defect, VirtualMemoryUse use, Schedule schedule) {
    DefectHunt.Finding finding =
        new DefectHunt(copies.computeIfAbsent(defect, DefectiveCopy::new)::allocator, use, schedule)
            .run();
    if (!defect.showsUnder(schedule)) {
      assertNull(finding, "a defect that makes no difference");
      return;
    }
    assertNotNull(finding, () -> "nothing reported: " + DefectHunt.BOUND);
    assertTrue(
        defect.getExpected().contains(finding.report().code()),
        () -> "not among " + defect.getExpected() + ": " + finding);
    operations
        .computeIfAbsent(defect, each -> new IntSummaryStatistics())
        .accept(finding.operations());
  }

  @AfterAll
  void tell() {
    operations.forEach(
        (defect, needed) ->
            System.out.printf(
                Locale.ROOT,
                "found after %d to %d operations: %s%n",
                needed.getMin(),
                needed.getMax(),
                defect));
  }

  static Stream<Arguments> originals() {
    return MEMORIES.stream()
        .flatMap(use -> Schedule.all().stream().map(schedule -> Arguments.of(use, schedule)));
  }

  @ParameterizedTest(name = "virtual memory {0}, schedule {1}")
  @MethodSource("originals")
  @DisplayName("The same traffic over the allocator itself gives no report")
  void nothingFound(VirtualMemoryUse use, Schedule schedule) {
    // Every defect was found within 62 seeds.
    assertNull(
        new DefectHunt(PlantedDefectsTest::allocator, use, schedule).run(DefectHunt.SEEDS / 2));
  }

  private static Allocator allocator(Device device, Map<String, String> options) {
    CachingAllocatorBuilder builder = CachingAllocator.builder(device);
    options.forEach(builder::set);
    return builder.build();
  }
}
