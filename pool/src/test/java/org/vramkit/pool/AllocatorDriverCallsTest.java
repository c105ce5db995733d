package org.vramkit.pool;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

/** A plan of faults has to know them; docs/simulator.md lists what this measures. */
@DisplayName("The driver functions that an allocator calls on each occasion")
@Tag("own-schedules")
class AllocatorDriverCallsTest {
  private static final Path DOCUMENT = Path.of("..", "docs", "simulator.md");
  private static final long BYTES = 4096;

  private static final Map<String, Function<SimDevice, Allocator>> ALLOCATORS =
      new TreeMap<>(
          Map.of(
              "`CachingAllocator`", AllocatorKind.CACHING_ON_PAGES::create,
              "`CachingAllocator`, `virtual-memory=off`", AllocatorKind.CACHING_ON_SEGMENTS::create,
              "`DirectAllocator`", device -> DirectAllocator.builder(device).build(),
              "`DriverPoolAllocator`", AllocatorKind.NATIVE::create,
              "`StreamOrderedPool`", AllocatorKind.STREAM_ORDERED::create));

  static Stream<String> allocators() {
    return ALLOCATORS.keySet().stream();
  }

  /** The calls of one occasion after the other. */
  private static final class Occasions {
    private final SimBackend gpu;
    private final List<String> cells = new ArrayList<>();

    Occasions(SimBackend gpu) {
      this.gpu = gpu;
    }

    void add(Runnable occasion) {
      gpu.getDriverCalls().reset();
      occasion.run();
      cells.add(
          gpu.getDriverCalls().getCounts().keySet().stream()
              .collect(Collectors.collectingAndThen(Collectors.joining(", "), Occasions::orNone)));
    }

    private static String orNone(String names) {
      return names.isEmpty() ? "none" : names;
    }
  }

  @ParameterizedTest
  @MethodSource("allocators")
  @DisplayName("are those of the table in docs/simulator.md")
  void documented(String name) throws IOException {
    try (SimBackend gpu = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
        SimStream stream = gpu.getDevice(0).createStream();
        SimStream other = gpu.getDevice(0).createStream()) {
      Allocator allocator = ALLOCATORS.get(name).apply(gpu.getDevice(0));
      Occasions occasions = new Occasions(gpu);
      List<Allocation> held = new ArrayList<>();
      occasions.add(() -> held.add(allocator.allocate(BYTES, stream)));
      occasions.add(() -> held.remove(0).close());
      occasions.add(() -> held.add(allocator.allocate(BYTES, stream)));
      held.get(0).recordUse(other);
      occasions.add(() -> held.remove(0).close());
      occasions.add(() -> allocator.trim(0));
      allocator.close();
      String row = "| " + name + " | " + String.join(" | ", occasions.cells) + " |";
      assertTrue(
          Files.readString(DOCUMENT).contains(row),
          () -> DOCUMENT + " should have this in its section of faults:\n" + row);
    }
  }
}
