package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;

@DisplayName("The checker finds what is planted into a copy of the caching allocator")
class PlantedDefectsTest {
  private static final List<VirtualMemoryUse> MEMORIES =
      List.of(VirtualMemoryUse.ON, VirtualMemoryUse.OFF);

  static Stream<Arguments> defects() {
    return Arrays.stream(PlantedDefect.values())
        .flatMap(
            defect -> MEMORIES.stream().filter(defect::isIn).map(use -> Arguments.of(defect, use)));
  }

  @ParameterizedTest(name = "{0}; virtual memory {1}")
  @MethodSource("defects")
  @DisplayName("Orderly traffic over a copy in which")
  void found(PlantedDefect defect, VirtualMemoryUse use, TestReporter reporter) {
    DefectHunt.Finding finding = new DefectHunt(new DefectiveCopy(defect)::allocator, use).run();
    assertNotNull(finding, () -> "nothing reported: " + DefectHunt.BOUND);
    assertTrue(
        defect.getExpected().contains(finding.report().code()),
        () -> "not among " + defect.getExpected() + ": " + finding);
    reporter.publishEntry(
        Map.of(
            defect.name(),
            finding.report().code()
                + " after "
                + finding.operations()
                + " operations, seed "
                + finding.seed()));
  }

  static Stream<Arguments> memories() {
    return MEMORIES.stream().map(Arguments::of);
  }

  @ParameterizedTest(name = "virtual memory {0}")
  @MethodSource("memories")
  @DisplayName("The same traffic over the allocator itself gives no report")
  void nothingFound(VirtualMemoryUse use) {
    assertNull(new DefectHunt(PlantedDefectsTest::allocator, use).run());
  }

  private static Allocator allocator(Device device, Map<String, String> options) {
    CachingAllocatorBuilder builder = CachingAllocator.builder(device);
    options.forEach(builder::set);
    return builder.build();
  }
}
