package org.vramkit.pool.caching.program;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.CachingAllocatorBuilder;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.StealPolicy;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.FaultPlan;
import org.vramkit.sim.schedule.Schedule;

/** What a {@link FaultedProgram} of one seed runs on, and the settings of its allocator. */
final class FaultedMachine {
  private static final int STREAMS = 3;

  /** Of those on which streams stay busy, so that there is something to wait for. */
  private static final List<Schedule> SCHEDULES =
      List.of(Schedule.timed(), Schedule.lazy(), Schedule.random(), Schedule.starving());

  /** Of every second seed blocks are large enough for extents of several pages. */
  final int scale;

  /** So little that it runs out of memory, by the allocator's own books: the driver has more. */
  final long limit;

  final long piece;

  /** Below this it must get what it wants, wherever free memory may lie. */
  final long plenty;

  final SimBackend backend;
  final SimDevice device;
  final DriverView driver;
  final List<SimStream> streams = new ArrayList<>();

  FaultedMachine(long seed, FaultPlan faults) {
    this.scale = seed % 2 == 0 ? 4 : 1;
    long memory = 128 * Sandbox.MIB * scale;
    this.limit = memory / 4;
    this.piece = memory / 32;
    this.plenty = limit / 4;
    this.backend =
        SimBackend.builder()
            .device(
                DeviceProfile.builder("small")
                    .from(DeviceProfile.SMALL_8GIB)
                    .memory(memory)
                    .build())
            .seed(seed)
            .schedule(SCHEDULES.get((int) (seed % SCHEDULES.size())))
            .faults(faults)
            .build();
    this.device = backend.getDevice(0);
    this.driver = new DriverView(backend.getDriverCalls());
    for (int i = 0; i < STREAMS; i++) {
      streams.add(device.createStream());
    }
  }

  CachingAllocatorBuilder allocator(long seed, VirtualMemoryUse use, SplittableRandom random) {
    List<StealPolicy> policies = List.of(StealPolicy.values());
    CachingAllocatorBuilder builder =
        CachingAllocator.builder(device)
            .virtualMemory(use)
            .threadCache(random.nextBoolean() ? 0 : Sandbox.MIB)
            .steal(policies.get((int) (seed % policies.size())))
            .decay(seed % 2 == 0 ? Duration.ofMillis(1) : Duration.ZERO)
            .clock(backend::getTimeNanos)
            .limit(limit);
    return Insides.polls(builder, seed % 2 == 0 ? 16 : 0);
  }

  /** How many calls were made to fail. */
  long getFaults() {
    return backend.getFaults().getInjected();
  }

  /** Nothing may be wrong or left once its streams are closed. */
  void end() {
    streams.forEach(SimStream::close);
    assertEquals(List.of(), backend.getHazards(), "hazards");
    assertEquals(List.of(), backend.getLeaks(), "leaks");
  }
}
