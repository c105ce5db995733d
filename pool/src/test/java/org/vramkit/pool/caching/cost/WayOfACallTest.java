package org.vramkit.pool.caching.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.CheckerOptions;

/**
 * A reader follows a call from file to file. The bounds are what there is today: they may fall, and
 * not rise. Wanted are 20, and 30 of an out of memory. Two of a first allocation are those who hear
 * of memory, and of leaks.
 */
@DisplayName("20.6 The files that a call goes through")
@Tag("own-schedules")
class WayOfACallTest {
  private static final int MOST_OF_A_HIT = 8;
  private static final int MOST_OF_A_CLOSE = 8;

  /** Whose allocations nobody hears of, as on a GPU. */
  private static SimBackend unheard() {
    return SimBackend.builder()
        .device(DeviceProfile.SMALL_8GIB)
        .checker(CheckerOptions.OFF)
        .build();
  }

  @ParameterizedTest(name = "virtual memory {0}: at most {1} files")
  @CsvSource({"on, 28", "off, 30"})
  @DisplayName("a first allocation, over pages and over segments")
  void firstAllocation(String virtualMemory, int most) {
    List<Allocation> held = new ArrayList<>();
    try (SimBackend backend = unheard()) {
      SimDevice device = backend.getDevice(0);
      try (SimStream stream = device.createStream();
          Allocator allocator =
              new WatchedCopy().allocator(device, Map.of("virtual-memory", virtualMemory))) {
        Set<String> way = VisitedClasses.of(() -> held.add(allocator.allocate(4096, stream)));
        held.forEach(Allocation::close);
        assertTrue(way.size() <= most, () -> way.size() + ": " + way);
      }
      assertEquals(List.of(), backend.getHazards());
      assertEquals(List.of(), backend.getLeaks());
    }
  }

  @Test
  @DisplayName("a hit and its close")
  void hit() {
    List<Allocation> held = new ArrayList<>();
    try (SimBackend backend = unheard()) {
      SimDevice device = backend.getDevice(0);
      try (SimStream stream = device.createStream();
          Allocator allocator = new WatchedCopy().allocator(device, Map.of())) {
        allocator.allocate(4096, stream).close();
        allocator.allocate(4096, stream).close();
        Set<String> taken = VisitedClasses.of(() -> held.add(allocator.allocate(4096, stream)));
        Set<String> closed = VisitedClasses.of(() -> held.remove(0).close());
        assertTrue(taken.size() <= MOST_OF_A_HIT, () -> taken.size() + ": " + taken);
        assertTrue(closed.size() <= MOST_OF_A_CLOSE, () -> closed.size() + ": " + closed);
      }
    }
  }

  @ParameterizedTest(name = "virtual memory {0}: at most {1} files")
  @CsvSource({"on, 32", "off, 32"})
  @DisplayName("an out of memory, up to its report")
  void outOfMemory(String virtualMemory, int most) {
    Map<String, String> options = Map.of("virtual-memory", virtualMemory, "limit", "64MiB");
    try (SimBackend backend = unheard()) {
      SimDevice device = backend.getDevice(0);
      try (SimStream stream = device.createStream();
          Allocator allocator = new WatchedCopy().allocator(device, options);
          Allocation held = allocator.allocate(40L << 20, stream)) {
        Set<String> way =
            VisitedClasses.of(
                () ->
                    assertThrows(
                        AllocatorOutOfMemoryException.class,
                        () -> allocator.allocate(held.getSize(), stream)));
        assertTrue(way.size() <= most, () -> way.size() + ": " + way);
      }
    }
  }
}
