package org.vramkit.pool.caching.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.CachingAllocatorBuilder;
import org.vramkit.pool.caching.Insides;
import org.vramkit.pool.caching.StealPolicy;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.decorator.TrackingAllocator;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.pool.driverpool.DriverPoolAllocator;
import org.vramkit.pool.streamordered.StreamOrderedPool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.schedule.Schedule;

@Tag("own-schedules")
@DisplayName("The allocator under test changes no verdict")
@Tag("nightly")
class SameVerdictTest {
  /** So many programs, at least, are racy, and as many are correct. */
  private static final int PROGRAMS = 100;

  private static final Map<String, Function<Device, Allocator>> ALLOCATORS = allocators();

  private static Map<String, Function<Device, Allocator>> allocators() {
    Map<String, Function<Device, Allocator>> all = new TreeMap<>();
    for (VirtualMemoryUse use : List.of(VirtualMemoryUse.ON, VirtualMemoryUse.OFF)) {
      for (int questions : new int[] {0, 1, 16}) {
        all.put(
            "caching, virtual memory " + use + ", " + questions + " questions",
            device -> caching(device, use, questions).build());
      }
      all.put(
          "caching, virtual memory " + use + ", nothing near at hand",
          device -> caching(device, use, 16).steal(StealPolicy.WITH_WAIT).build());
    }
    all.put("stream-ordered", device -> StreamOrderedPool.builder(device).build());
    all.put("driver pool", device -> DriverPoolAllocator.builder(device).build());
    all.put("direct", device -> DirectAllocator.builder(device).build());
    all.put("tracking", device -> TrackingAllocator.withStacks(CachingAllocator.create(device)));
    return all;
  }

  private static CachingAllocatorBuilder caching(
      Device device, VirtualMemoryUse use, int questions) {
    return Insides.polls(CachingAllocator.builder(device).virtualMemory(use), questions);
  }

  static Stream<Schedule> schedules() {
    return Schedule.all().stream();
  }

  /** Which hazards a program has. */
  private static Set<String> verdict(
      SmallPrograms.Small program, Function<Device, Allocator> open, Schedule schedule, long seed) {
    try (SimBackend backend =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .schedule(schedule)
            .seed(seed)
            .build()) {
      try (Allocator allocator = open.apply(backend.getDevice(0))) {
        program.run(backend, allocator, seed);
      }
      Set<String> codes = new TreeSet<>();
      for (HazardReport hazard : backend.getHazards()) {
        codes.add(hazard.code().name());
      }
      return codes;
    }
  }

  private static Map<String, Set<String>> verdicts(
      SmallPrograms.Small program, Schedule schedule, long seed) {
    Map<String, Set<String>> verdicts = new TreeMap<>();
    ALLOCATORS.forEach((name, open) -> verdicts.put(name, verdict(program, open, schedule, seed)));
    return verdicts;
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A hundred racy programs have the same hazards with each, on every schedule")
  void racy(Schedule schedule) {
    Map<String, SmallPrograms.Small> families = SmallPrograms.racy();
    List<String> wrong = new ArrayList<>();
    int run = 0;
    for (long seed = 1; run < PROGRAMS; seed++) {
      for (Map.Entry<String, SmallPrograms.Small> family : families.entrySet()) {
        Map<String, Set<String>> verdicts = verdicts(family.getValue(), schedule, seed);
        Set<Set<String>> different = Set.copyOf(verdicts.values());
        if (different.size() > 1 || different.contains(Set.of())) {
          wrong.add("\n" + family.getKey() + ", seed " + seed + ": " + verdicts);
        }
        run++;
      }
    }
    assertEquals(List.of(), wrong);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A hundred correct programs have none with any, on every schedule")
  void correct(Schedule schedule) {
    Map<String, SmallPrograms.Small> families = SmallPrograms.correct();
    List<String> wrong = new ArrayList<>();
    int run = 0;
    for (long seed = 1; run < PROGRAMS; seed++) {
      for (Map.Entry<String, SmallPrograms.Small> family : families.entrySet()) {
        Map<String, Set<String>> verdicts = verdicts(family.getValue(), schedule, seed);
        if (!Set.copyOf(verdicts.values()).equals(Set.of(Set.of()))) {
          wrong.add("\n" + family.getKey() + ", seed " + seed + ": " + verdicts);
        }
        run++;
      }
    }
    assertEquals(List.of(), wrong);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("An unrecorded use is found whatever size is allocated next")
  void anySize(Schedule schedule) {
    for (long size = 1; size <= 64 << 20; size *= 2) {
      for (Function<Device, Allocator> open : ALLOCATORS.values()) {
        long next = size;
        assertNotEquals(
            Set.of(),
            verdict((gpu, allocator, seed) -> readme(gpu, allocator, next), open, schedule, 1),
            () -> "next is " + next);
      }
    }
  }

  /** The program that README shows, behind a question that the allocator asks for itself. */
  private static void readme(SimBackend gpu, Allocator allocator, long next) {
    SimDevice device = gpu.getDevice(0);
    try (SimStream loading = device.createStream();
        SimStream training = device.createStream()) {
      Allocation batch = allocator.allocate(4096, loading);
      loading.fill(batch.getAddress(), (byte) 1, 4096);
      loading.synchronize();
      Allocation scratch = allocator.allocate(next, training);
      training.fill(scratch.getAddress(), (byte) 1, next);
      scratch.close();
      training.launch(SimKernel.named("train").reads(batch.getAddress(), 4096).build());
      batch.close();
      allocator.allocate(next + next / 2, loading).close();
    }
  }
}
