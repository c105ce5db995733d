package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.Scene.KERNEL_NANOS;
import static org.vramkit.sim.Scene.SIZE;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.sim.driver.CostCurve;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.driver.FaultPlan;
import org.vramkit.sim.driver.WorkSelector;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Virtual time")
class VirtualTimeTest {

  @Test
  @DisplayName("Kernels of one stream follow each other, those of two run side by side")
  void overlap() {
    try (Scene scene = new Scene()) {
      long second = scene.device.getMemory().allocate(SIZE);
      scene.write(scene.s1);
      scene.write(scene.s1);
      scene.write(scene.s2, second, SIZE);
      assertEquals(0, scene.backend.getTimeNanos(), "submitting takes no time here");
      scene.s2.synchronize();
      assertEquals(KERNEL_NANOS, scene.backend.getTimeNanos());
      assertFalse(scene.s1.isIdle());
      scene.s1.synchronize();
      assertEquals(2 * KERNEL_NANOS, scene.backend.getTimeNanos());
    }
  }

  @Test
  @DisplayName("A stream that waits for an event starts when the event's work is done")
  void waits() {
    try (Scene scene = new Scene();
        SimEvent event = scene.device.createEvent()) {
      scene.write(scene.s1);
      event.record(scene.s1);
      scene.s2.waitFor(event);
      scene.write(scene.s2);
      assertFalse(event.isComplete());
      scene.backend.advance(KERNEL_NANOS);
      assertTrue(event.isComplete());
      assertFalse(scene.s2.isIdle());
      scene.s2.synchronize();
      assertEquals(2 * KERNEL_NANOS, scene.backend.getTimeNanos());
      scene.expect();
    }
  }

  @Test
  @DisplayName("An event that was never recorded is complete; waiting on the host ends at its work")
  void events() {
    try (Scene scene = new Scene();
        SimEvent event = scene.device.createEvent()) {
      assertTrue(event.isComplete());
      event.synchronize();
      assertEquals(0, scene.backend.getTimeNanos());
      scene.write(scene.s1);
      event.record(scene.s1);
      scene.write(scene.s1);
      event.synchronize();
      assertEquals(KERNEL_NANOS, scene.backend.getTimeNanos());
      scene.device.synchronize();
      assertEquals(2 * KERNEL_NANOS, scene.backend.getTimeNanos());
    }
  }

  @Test
  @Tag("virtual-time")
  @DisplayName("Bytes are what the last kernel in virtual time left, not what was submitted last")
  void bytesFollowTime() {
    try (Scene scene = new Scene()) {
      long flag = scene.device.getMemory().allocate(512);
      scene.s1.launch(
          SimKernel.named("slow")
              .writes(flag, 1)
              .taking(5 * KERNEL_NANOS)
              .body(bytes -> bytes.write(flag, new byte[] {1}))
              .build());
      scene.s2.launch(
          SimKernel.named("quick")
              .writes(flag, 1)
              .taking(KERNEL_NANOS)
              .body(bytes -> bytes.write(flag, new byte[] {2}))
              .build());
      scene.device.synchronize();
      ByteBuffer seen = ByteBuffer.allocate(1);
      scene.s3.copyToHost(seen, flag);
      assertEquals(1, seen.get(0));
      assertEquals(1, scene.backend.getHazardCount(), "and the race is reported");
    }
  }

  @Test
  @DisplayName("The same seed and program give the same trace; another program gives another")
  void deterministic() {
    assertEquals(traceOf(1, 1), traceOf(1, 1));
    assertEquals(traceOf(7, 42), traceOf(7, 42));
    assertNotEquals(traceOf(1, 1), traceOf(1, 2));
  }

  private static long traceOf(long seed, long program) {
    SplittableRandom random = new SplittableRandom(program);
    try (Scene scene = new Scene(seed)) {
      SimStream[] streams = {scene.s1, scene.s2, scene.s3};
      for (int i = 0; i < 500; i++) {
        SimStream stream = streams[random.nextInt(3)];
        switch (random.nextInt(4)) {
          case 0 -> scene.write(stream, scene.block + random.nextInt(64), 64);
          case 1 -> scene.read(stream, scene.block + random.nextInt(64), 64);
          case 2 -> scene.order(stream, streams[random.nextInt(3)]);
          default -> scene.backend.advance(random.nextInt(1_000_000));
        }
      }
      return scene.backend.getTraceHash() * 31 + scene.backend.getHazardCount();
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A duration beyond all time ends at its end, and never in the past")
  void endOfTime(Schedule schedule) {
    SimKernel forever = SimKernel.named("forever").taking(Long.MAX_VALUE).build();
    try (SimBackend gpu =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .schedule(schedule)
            .costModel(CostModel.H200.withKernelOverhead(Long.MAX_VALUE))
            .faults(
                FaultPlan.NONE
                    .slow(WorkSelector.any(), Double.MAX_VALUE)
                    .slow(WorkSelector.any(), Double.MAX_VALUE)
                    .delay(WorkSelector.any(), Long.MAX_VALUE)
                    .delay(WorkSelector.any(), Long.MAX_VALUE))
            .build()) {
      SimStream stream = gpu.getDevice(0).createStream();
      stream.launch(forever);
      stream.launch(forever);
      stream.callHost("log", () -> {});
      stream.fill(gpu.getDevice(0).getMemory().allocate(512), (byte) 1, 512);
      assertTrue(gpu.getTimeNanos() < 1_000_000_000, () -> "it is " + gpu.getTimeNanos());
      stream.synchronize();
      long end = gpu.getTimeNanos();
      assertEquals(Long.MAX_VALUE - 1, end);
      gpu.advance(Long.MAX_VALUE);
      gpu.advanceTo(Long.MAX_VALUE);
      gpu.advanceTo(Long.MIN_VALUE);
      stream.launch(forever);
      stream.synchronize();
      assertEquals(end, gpu.getTimeNanos());
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("Held work is not reached by the end of time")
  void heldAtTheEnd(Schedule schedule) {
    try (SimBackend gpu = SimBackend.builder().schedule(schedule).build()) {
      SimStream stream = gpu.getDevice(0).createStream();
      SimGate gate = gpu.createGate("gate");
      stream.waitFor(gate);
      gpu.advanceTo(Long.MAX_VALUE);
      assertFalse(stream.isIdle());
      gate.open();
      stream.synchronize();
    }
  }

  static List<Schedule> schedules() {
    return Schedule.all();
  }

  @Test
  @DisplayName("Costs beyond all time add up to its end, and patience may be without one")
  void costs() {
    CostCurve dear = CostCurve.constant(Long.MAX_VALUE);
    try (SimBackend gpu =
        SimBackend.builder()
            .costModel(CostModel.FREE.with(DriverFunction.EVENT_CREATE, dear))
            .patience(Duration.ofSeconds(Long.MAX_VALUE))
            .build()) {
      gpu.getDevice(0).createEvent().close();
      gpu.getDevice(0).createEvent().close();
      assertEquals(Long.MAX_VALUE - 1, gpu.getTimeNanos());
      assertEquals(Long.MAX_VALUE - 1, gpu.getDriverCalls().getEstimatedNanos());
    }
  }
}
