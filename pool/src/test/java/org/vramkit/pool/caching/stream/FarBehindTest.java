package org.vramkit.pool.caching.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.StealPolicy;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.CheckerOptions;

/**
 * Streams that get no memory of each other for long: because their work is far behind, or because
 * none may have another's. Each replaces blocks of many sizes.
 */
@Tag("virtual-time")
@DisplayName("18.8 Streams that get nothing of each other's")
class FarBehindTest {
  private static final int STREAMS = 4;
  private static final int STEPS = 4000;
  private static final int LIVE_BLOCKS = 6;

  /** What the host takes for a step of each stream, and what work with a block takes then. */
  private static final long STEP_NANOS = 100_000;

  private static final long WORK_NANOS = 100 * STEP_NANOS;

  /** What allocators of each stream's own would reserve, and a quarter. */
  private static final double MOST = 1.25;

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3})
  @DisplayName("reserve together hardly more than each alone, because all are far behind")
  void farBehind(long seed) {
    assertHardlyMore(seed, StealPolicy.WHEN_IDLE, WORK_NANOS);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3})
  @DisplayName("reserve together hardly more than each alone, because that is how it shall be")
  void neverStealing(long seed) {
    assertHardlyMore(seed, StealPolicy.NEVER, 0);
  }

  @ParameterizedTest
  @EnumSource(value = StealPolicy.class, names = "WHEN_IDLE")
  @DisplayName("Twin: reserve less together if their work is done at once")
  void done(StealPolicy steal) {
    long together = reserved(1, steal, 0, IntStream.range(0, STREAMS).toArray());
    assertTrue(together < 0.8 * alone(1, steal, 0), () -> together + " bytes");
  }

  private static void assertHardlyMore(long seed, StealPolicy steal, long nanos) {
    long together = reserved(seed, steal, nanos, IntStream.range(0, STREAMS).toArray());
    long alone = alone(seed, steal, nanos);
    assertTrue(together <= MOST * alone, () -> together + " bytes together, " + alone + " alone");
  }

  private static long alone(long seed, StealPolicy steal, long nanos) {
    return IntStream.range(0, STREAMS).mapToLong(each -> reserved(seed, steal, nanos, each)).sum();
  }

  /**
   * Runs the program of some of the streams.
   *
   * @param nanos that each stream is busy with each block
   * @return bytes reserved at most
   */
  private static long reserved(long seed, StealPolicy steal, long nanos, int... members) {
    try (SimBackend backend =
            SimBackend.builder()
                .device(DeviceProfile.H200)
                .bytes(false)
                .checker(CheckerOptions.OFF)
                .build();
        CachingAllocator allocator =
            CachingAllocator.builder(backend.getDevice(0))
                .virtualMemory(VirtualMemoryUse.ON)
                .steal(steal)
                .clock(backend::getTimeNanos)
                .build()) {
      List<Member> all = new ArrayList<>();
      for (int each : members) {
        all.add(new Member(backend.getDevice(0).createStream(), seed * STREAMS + each, nanos));
      }
      for (int i = 0; i < STEPS; i++) {
        all.forEach(each -> each.step(allocator));
        backend.advance(STEP_NANOS);
      }
      all.forEach(Member::close);
      assertEquals(0, allocator.getStatistics().getLiveBytes());
      return allocator.getStatistics().reserved().peak();
    }
  }

  /** One stream, whose program is the same whoever runs beside it. */
  private static final class Member {
    private final SimStream stream;
    private final SplittableRandom random;
    private final long nanos;
    private final List<Allocation> live = new ArrayList<>();

    Member(SimStream stream, long seed, long nanos) {
      this.stream = stream;
      this.random = new SplittableRandom(seed);
      this.nanos = nanos;
    }

    void step(CachingAllocator allocator) {
      if (live.size() == LIVE_BLOCKS || (!live.isEmpty() && random.nextInt(3) == 0)) {
        live.remove(random.nextInt(live.size())).close();
      } else {
        // From 64 KiB to 64 MiB, each power of two as often.
        long size = (64L << 10) << random.nextInt(10);
        live.add(allocator.allocate(size + random.nextLong(size), stream));
        if (nanos > 0) {
          stream.launch(SimKernel.named("work").taking(nanos).build());
        }
      }
    }

    void close() {
      live.forEach(Allocation::close);
      stream.close();
    }
  }
}
