package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.vramkit.pressure.Scene.MIB;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("What a spill does for itself, as the checker sees it")
class SpillOrderTest {
  private static final long BYTES = 4096;

  static List<Schedule> schedules() {
    return Schedule.all();
  }

  /** A program with a store and two streams. */
  @FunctionalInterface
  private interface Program {
    void run(SimDevice device, SpillStore store, SimStream a, SimStream b);
  }

  private static void expect(Schedule schedule, Program program, HazardCode... codes) {
    try (SimBackend gpu =
        SimBackend.builder().device(DeviceProfile.SMALL_8GIB).schedule(schedule).build()) {
      SimDevice device = gpu.getDevice(0);
      SimStream a = device.createStream();
      SimStream b = device.createStream();
      try (CachingAllocator allocator = CachingAllocator.create(device);
          SpillStore store = SpillStore.over(allocator).hostLimit(MIB).build()) {
        program.run(device, store, a, b);
      }
      a.close();
      b.close();
      assertEquals(List.of(codes), gpu.getHazards().stream().map(HazardReport::code).toList());
      assertEquals(List.of(), gpu.getLeaks());
    }
  }

  private static void write(SimStream stream, long address, long bytes) {
    stream.launch(SimKernel.named("write").writes(address, bytes).build());
  }

  private static void read(SimStream stream, long address, long bytes) {
    stream.launch(SimKernel.named("read").reads(address, bytes).build());
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("gives no report on bytes that go and return, on whatever streams")
  void roundTrips(Schedule schedule) {
    expect(
        schedule,
        (device, store, a, b) -> {
          try (Spillable one = store.create(BYTES, 0);
              Spillable other = store.create(3 * BYTES + 100, 0)) {
            for (int round = 0; round < 3; round++) {
              for (Spillable each : List.of(one, other)) {
                SimStream on = round % 2 == 0 ? a : b;
                try (SpillableLease lease = each.materialize(on)) {
                  write(on, lease.getAddress(), each.getSize());
                }
                try (SpillableLease lease = each.materialize(on.equals(a) ? b : a)) {
                  read(on.equals(a) ? b : a, lease.getAddress(), each.getSize());
                }
                store.spill(round * BYTES);
              }
            }
          }
        });
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("gives no report on a lease whose stream was closed first")
  void closedStream(Schedule schedule) {
    expect(
        schedule,
        (device, store, a, b) -> {
          try (Spillable spillable = store.create(BYTES, 0)) {
            SimStream closed = device.createStream();
            try (SpillableLease lease = spillable.materialize(closed)) {
              write(closed, lease.getAddress(), BYTES);
              closed.close();
            }
            try (SpillableLease lease = spillable.materialize(a)) {
              write(a, lease.getAddress(), BYTES);
            }
          }
        });
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("hides no race of the program behind its waits")
  void raceBehindIt(Schedule schedule) {
    expect(
        schedule,
        (device, store, a, b) -> {
          long other = device.getMemory().allocate(BYTES);
          write(a, other, BYTES);
          try (Spillable spillable = store.create(BYTES, 0)) {
            try (SpillableLease lease = spillable.materialize(a)) {
              write(a, lease.getAddress(), BYTES);
            }
            store.spill(BYTES);
            read(b, other, BYTES);
          }
          device.synchronize();
          device.getMemory().free(other);
        },
        HazardCode.RACE_RAW);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("brings unwritten bytes back as unwritten ones")
  void unwritten(Schedule schedule) {
    expect(
        schedule,
        (device, store, a, b) -> {
          try (Spillable spillable = store.create(BYTES, 0)) {
            try (SpillableLease lease = spillable.materialize(a)) {
              write(a, lease.getAddress(), BYTES / 2);
            }
            store.spill(BYTES);
            try (SpillableLease lease = spillable.materialize(b)) {
              read(b, lease.getAddress(), BYTES);
            }
          }
        },
        HazardCode.UNINIT_READ);
  }
}
