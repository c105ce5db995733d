package org.vramkit.pool.caching.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("README's racy program is found, whatever the size of the second allocation")
class MissingRecordUseTest {
  private static final long BATCH = ByteSize.MIB;
  private static final long SEED = 19;

  static List<Schedule> schedules() {
    return Schedule.all();
  }

  /** Powers of two up to 64 MiB, their neighbours, and some hundred others. */
  private static Set<Long> sizes() {
    Set<Long> sizes = new TreeSet<>();
    for (long size = 1; size <= 64 * ByteSize.MIB; size *= 2) {
      sizes.addAll(List.of(Math.max(1, size - 1), size, Math.min(size + 1, 64 * ByteSize.MIB)));
    }
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 300; i++) {
      sizes.add(1 + (random.nextLong(64 * ByteSize.MIB) >> random.nextInt(20)));
    }
    return sizes;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("schedules")
  @DisplayName("the unrecorded use, and nothing else")
  void everySize(Schedule schedule) {
    for (long size : sizes()) {
      assertEquals(List.of(HazardCode.EARLY_REUSE), judge(schedule, size, false), "size " + size);
      assertEquals(List.of(), judge(schedule, size, true), "size " + size);
    }
  }

  private static List<HazardCode> judge(Schedule schedule, long size, boolean recorded) {
    try (SimBackend gpu =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .schedule(schedule)
            .bytes(false)
            .seed(SEED)
            .build()) {
      SimDevice device = gpu.getDevice(0);
      try (SimStream loading = device.createStream();
          SimStream training = device.createStream();
          CachingAllocator allocator = CachingAllocator.builder(device).build()) {
        Allocation scratch = allocator.allocate(BATCH, training);
        training.fill(scratch.getAddress(), (byte) 0, BATCH);
        scratch.close();
        Allocation batch = allocator.allocate(BATCH, loading);
        loading.fill(batch.getAddress(), (byte) 1, BATCH);
        try (var loaded = device.createEvent()) {
          loaded.record(loading);
          training.waitFor(loaded);
        }
        training.launch(SimKernel.named("train").reads(batch.getAddress(), BATCH).build());
        if (recorded) {
          batch.recordUse(training);
        }
        batch.close();
        try (Allocation next = allocator.allocate(size, loading)) {
          loading.fill(next.getAddress(), (byte) 2, size);
        }
        device.synchronize();
      }
      return gpu.getHazards().stream().map(report -> report.code()).toList();
    }
  }
}
