package org.vramkit.pool.caching.program;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.CachingAllocatorBuilder;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.LeakDetection;
import org.vramkit.pool.caching.OutOfMemoryHandler;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.StealPolicy;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.schedule.Schedule;

/** What a {@link RandomProgram} of one seed runs on, and with which settings. */
final class RandomSettings {
  /** Those of the driver that may fail. */
  static final String[] CALLS = {
    "cuMemCreate",
    "cuMemMap",
    "cuMemSetAccess",
    "cuMemUnmap",
    "cuMemRelease",
    "cuMemAlloc",
    "cuMemFree",
    "cuEventRecord",
    "cuEventQuery",
    "cuEventCreate",
    "cuStreamQuery",
    "cuStreamWaitEvent"
  };

  private static final List<Schedule> SCHEDULES =
      List.of(Schedule.timed(), Schedule.lazy(), Schedule.random(), Schedule.starving());

  final SplittableRandom random;
  final long memory;
  final SimBackend backend;

  /** Whether calls of the driver fail. */
  final boolean faulty;

  /** Nanoseconds; with 0 streams are done soon. */
  final long longestKernel;

  /** Sizes that come again and again, so that what was freed just fits. */
  private final long[] sizes;

  /** Whether a limit may refuse what there is memory for. */
  private boolean limited;

  private final VirtualMemoryUse use;

  RandomSettings(long seed, VirtualMemoryUse use) {
    this.random = new SplittableRandom(seed);
    this.use = use;
    // Of four times as much, blocks are large enough for extents of several pages.
    this.memory = (isPaged() && random.nextInt(3) == 0 ? 512 : 128) * Sandbox.MIB;
    this.faulty = random.nextBoolean();
    this.longestKernel = random.nextBoolean() ? pick(200_000L, 20_000_000L, 200_000_000L) : 0;
    this.sizes = LongStream.generate(this::anySize).limit(6).toArray();
    this.backend =
        SimBackend.builder()
            .seed(seed)
            .schedule(pick(SCHEDULES.toArray(Schedule[]::new)))
            .device(
                DeviceProfile.builder("small")
                    .from(DeviceProfile.SMALL_8GIB)
                    .memory(memory)
                    .build())
            .build();
  }

  private boolean isPaged() {
    return use == VirtualMemoryUse.ON;
  }

  boolean isLimited() {
    return limited;
  }

  void limit() {
    limited = true;
  }

  @SafeVarargs
  final <T> T pick(T... of) {
    return of[random.nextInt(of.length)];
  }

  boolean oneIn(int often) {
    return random.nextInt(often) == 0;
  }

  long size() {
    return random.nextInt(3) > 0 ? sizes[random.nextInt(sizes.length)] : anySize();
  }

  private long anySize() {
    long most = 1L << pick(12, 17, 20, 21, 22, 23, 24);
    return Math.min(1 + random.nextLong(most), memory / 8);
  }

  long kernelNanos() {
    return random.nextLong(Math.max(100_000, longestKernel));
  }

  CachingAllocator allocator(OutOfMemoryHandler handler) {
    CachingAllocatorBuilder builder =
        CachingAllocator.builder(backend.getDevice(0))
            .virtualMemory(use)
            .clock(backend::getTimeNanos)
            .threadCache(pick(0L, 256 * 1024L, Sandbox.MIB, 40 * Sandbox.MIB))
            .steal(pick(StealPolicy.values()));
    builder =
        Insides.polls(builder, pick(0, 16))
            .moveTime(pick(0.0, 0.005, 1.0))
            .decay(pick(Duration.ZERO, Duration.ofNanos(200_000), Duration.ofMillis(5)))
            .roundingDivisions(pick("none", "none", "4", "16:8,64:2"))
            .history(pick(0L, Sandbox.MIB))
            .leakDetection(pick(LeakDetection.OFF, LeakDetection.SAMPLED))
            .outOfMemoryHandler(oneIn(3) ? handler : OutOfMemoryHandler.NONE);
    if (isPaged()) {
      builder.initial(pick(0L, 16 * Sandbox.MIB));
    }
    if (oneIn(3)) {
      limited = true;
      builder.limit(memory / 2);
    }
    return builder.build();
  }
}
