package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pressure.Scene.MIB;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.error.DriverException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.schedule.Schedule;

/** The scene's close checks that no copy raced with a later use of its source or its target. */
@DisplayName("45.2 A copy whose wait failed may still run, so")
class SpillFailedWaitTest {
  private static final long LONG_WORK = 5_000_000;

  static List<Schedule> schedules() {
    return Schedule.all();
  }

  @FunctionalInterface
  private interface Program {
    void run(Scene scene, SpillStore store, SimStream a, SimStream b);
  }

  private static void run(Schedule schedule, Program program) {
    try (Scene scene =
            new Scene(
                SimBackend.builder().device(DeviceProfile.SMALL_8GIB).schedule(schedule).build());
        SimStream a = scene.device.createStream();
        SimStream b = scene.device.createStream();
        SpillStore store = SpillStore.over(scene.allocator).hostLimit(MIB).build()) {
      program.run(scene, store, a, b);
    }
  }

  private static void fill(Spillable spillable, SimStream stream, int value) {
    try (SpillableLease lease = spillable.materialize(stream)) {
      stream.fill(lease.getAddress(), (byte) value, lease.getSize());
    }
  }

  private static void assertHolds(Spillable spillable, SimStream stream, int value) {
    ByteBuffer bytes = ByteBuffer.allocate((int) spillable.getSize());
    try (SpillableLease lease = spillable.materialize(stream)) {
      stream.copyToHost(bytes, lease.getAddress());
    }
    for (int i = 0; i < bytes.capacity(); i += 4096) {
      assertEquals(value, bytes.get(i));
    }
  }

  /** Makes the next use by a stream take a while. */
  private static void work(SimStream stream) {
    stream.launch(SimKernel.named("work").taking(LONG_WORK).build());
  }

  private static void withoutWaits(Scene scene, Runnable move) {
    scene.gpu.getFaults().failEvery("cuStreamSynchronize", Fault.UNKNOWN);
    assertThrows(DriverException.class, move::run);
    scene.gpu.getFaults().clear();
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("45.2 the target of a spill serves no other spill, and its source no write")
  void spill(Schedule schedule) {
    run(
        schedule,
        (scene, store, a, b) -> {
          try (Spillable first = store.create(MIB, 0);
              Spillable second = store.create(MIB, -1)) {
            try (SpillableLease lease = first.materialize(a)) {
              work(a);
              a.fill(lease.getAddress(), (byte) 1, MIB);
            }
            withoutWaits(scene, () -> store.spill(MIB));
            assertTrue(first.isOnDevice());
            fill(second, b, 2);
            assertEquals(MIB, store.spill(MIB));
            assertHolds(first, b, 1);
            fill(first, b, 3);
            assertHolds(second, a, 2);
            assertHolds(first, a, 3);
          }
        });
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("45.2 the source of a restore serves no spill, even after its close")
  void restore(Schedule schedule) {
    run(
        schedule,
        (scene, store, a, b) -> {
          try (Spillable other = store.create(MIB, 0)) {
            try (Spillable first = store.create(MIB, 0)) {
              fill(first, a, 1);
              assertEquals(MIB, store.spill(MIB));
              work(a);
              scene.gpu.getFaults().failEvery("cuEventRecord", Fault.UNKNOWN);
              scene.gpu.getFaults().failEvery("cuStreamSynchronize", Fault.UNKNOWN);
              assertThrows(DriverException.class, () -> first.materialize(a));
              scene.gpu.getFaults().clear();
            }
            fill(other, b, 2);
            assertEquals(MIB, store.spill(MIB));
            assertHolds(other, b, 2);
          }
        });
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("45.2 bytes whose restore failed are restored again")
  void restoreAgain(Schedule schedule) {
    run(
        schedule,
        (scene, store, a, b) -> {
          try (Spillable spillable = store.create(MIB, 0)) {
            fill(spillable, a, 1);
            assertEquals(MIB, store.spill(MIB));
            work(a);
            scene.gpu.getFaults().failNext("cuEventRecord", Fault.UNKNOWN);
            withoutWaits(scene, () -> spillable.materialize(a));
            assertHolds(spillable, b, 1);
            fill(spillable, b, 2);
            assertEquals(MIB, store.spill(MIB));
            assertHolds(spillable, a, 2);
          }
        });
  }
}
