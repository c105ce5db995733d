package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.CheckerOptions;

@DisplayName("A program that replaces blocks of many sizes all the time")
class BusyProgramTest {
  private static final int LIVE = 1000;

  /** Bounds the wait on a machine that does other things besides. */
  private static final int MOST_ROUNDS = 400;

  private static SimBackend unjudged() {
    return SimBackend.builder()
        .device(DeviceProfile.H200)
        .bytes(false)
        .checker(CheckerOptions.OFF)
        .build();
  }

  @Test
  @DisplayName("comes to find them near at hand, gives them back when asked, and keeps its books")
  void learns() {
    try (SimBackend backend = unjudged();
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Stream stream = backend.getDevice(0).createStream()) {
      Program program = new Program(allocator, stream);
      long held = 0;
      for (int round = 0; round < MOST_ROUNDS && held < program.liveBytes() / 10; round++) {
        program.replace(20_000);
        held = allocator.getStatistics().cachedBytes();
      }
      assertTrue(held >= program.liveBytes() / 10, "the caches hold " + held);
      allocator.trim(0);
      assertEquals(0, allocator.getStatistics().cachedBytes());
      program.end();
      allocator.trim(0);
      assertEquals(0, allocator.getStatistics().reserved().current());
      assertEquals(0, allocator.getStatistics().getLiveBytes());
    }
  }

  @Test
  @DisplayName("is not busy by a clock that stands still meanwhile: then caches stay small")
  void otherClock() {
    try (SimBackend backend = unjudged();
        CachingAllocator allocator =
            CachingAllocator.builder(backend.getDevice(0)).clock(() -> 0).build();
        Stream stream = backend.getDevice(0).createStream()) {
      Program program = new Program(allocator, stream);
      program.replace(200_000);
      long held = allocator.getStatistics().cachedBytes();
      assertTrue(held < program.liveBytes() / 10, "the caches hold " + held);
      program.end();
      assertEquals(0, allocator.getStatistics().getLiveBytes());
    }
  }

  private static final class Program {
    private final SplittableRandom random = new SplittableRandom(7);
    private final Allocation[] live = new Allocation[LIVE];
    private final CachingAllocator allocator;
    private final Stream stream;

    Program(CachingAllocator allocator, Stream stream) {
      this.allocator = allocator;
      this.stream = stream;
      for (int i = 0; i < LIVE; i++) {
        live[i] = allocate();
      }
    }

    private Allocation allocate() {
      long power = 1L << (9 + random.nextInt(14));
      return allocator.allocate(power + random.nextLong(power), stream);
    }

    void replace(int times) {
      for (int i = 0; i < times; i++) {
        int slot = random.nextInt(LIVE);
        live[slot].close();
        live[slot] = allocate();
      }
    }

    long liveBytes() {
      return allocator.getStatistics().getLiveBytes();
    }

    void end() {
      List.of(live).forEach(Allocation::close);
    }
  }
}
