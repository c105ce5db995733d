package org.vramkit.pool.caching.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;

@DisplayName("A hit makes no driver call")
class HitTest {
  private static final int ROUNDS = 1000;

  @ParameterizedTest(name = "{0} bytes")
  @ValueSource(longs = {512, 100_000, 1 << 20, 5 << 20, 40 << 20})
  @DisplayName("S4 one size again and again")
  void oneSize(long size) {
    try (Sandbox box = Sandbox.standard()) {
      box.allocator.allocate(size, box.stream).close();
      box.backend.getDriverCalls().reset();
      for (int i = 0; i < ROUNDS; i++) {
        box.allocator.allocate(size, box.stream).close();
      }
      assertEquals(Map.of(), box.backend.getDriverCalls().getCounts());
      assertEquals(ROUNDS, box.statistics().servedFromPool());
    }
  }

  @ParameterizedTest(name = "virtual memory {0}")
  @EnumSource(VirtualMemoryUse.class)
  @DisplayName("S4 several sizes in turn, of which the largest needs all memory of the others")
  void sizesInTurn(VirtualMemoryUse virtualMemory) {
    long[] sizes = {512, 100_000, 1 << 20, 5 << 20, 12 << 20, 40 << 20};
    try (Sandbox box = Sandbox.with(b -> b.virtualMemory(virtualMemory).moveTime(0.001))) {
      round(box, sizes, 20);
      box.backend.getDriverCalls().reset();
      round(box, sizes, ROUNDS);
      assertEquals(Map.of(), box.backend.getDriverCalls().getCounts());
    }
  }

  private static void round(Sandbox box, long[] sizes, int times) {
    for (int i = 0; i < times; i++) {
      for (long size : sizes) {
        box.allocator.allocate(size, box.stream).close();
      }
    }
  }

  @ParameterizedTest(name = "virtual memory {0}")
  @EnumSource(VirtualMemoryUse.class)
  @DisplayName("S4 a working set of many sizes, live at once, on a busy stream")
  void workingSet(VirtualMemoryUse virtualMemory) {
    long[] sizes = {700, 512, 3 << 20, 65_536, 1 << 20, 9 << 20, 30 << 20, 100_000};
    try (Sandbox box = Sandbox.with(builder -> builder.virtualMemory(virtualMemory))) {
      step(box, sizes, 20);
      var counts = box.backend.getDriverCalls();
      long before = managed(counts.getCounts());
      step(box, sizes, 200);
      assertEquals(before, managed(counts.getCounts()), counts.getCounts().toString());
    }
  }

  private static void step(Sandbox box, long[] sizes, int times) {
    for (int i = 0; i < times; i++) {
      var live = new org.vramkit.api.allocator.Allocation[sizes.length];
      for (int j = 0; j < sizes.length; j++) {
        live[j] = box.allocator.allocate(sizes[j], box.stream);
        box.busy(box.stream, live[j], 50_000);
      }
      for (var each : live) {
        each.close();
      }
    }
  }

  /** Everything but the kernels of the test. */
  private static long managed(Map<String, Long> counts) {
    return counts.entrySet().stream()
        .filter(each -> !each.getKey().equals("cuLaunchKernel"))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }
}
