package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.driver.FaultPlan;
import org.vramkit.sim.driver.WorkSelector;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Work that is slow or hangs by plan")
class SlowAndHungWorkTest {
  private static final SimKernel KERNEL = SimKernel.named("relu").taking(1_000).build();

  static List<Schedule> schedules() {
    return List.of(
        Schedule.timed(), Schedule.eager(), Schedule.lazy(), Schedule.reverse(), Schedule.random());
  }

  private static SimBackend backend(Schedule schedule, FaultPlan plan) {
    return SimBackend.builder()
        .device(DeviceProfile.SMALL_8GIB)
        .device(DeviceProfile.SMALL_8GIB)
        .costModel(CostModel.FREE)
        .schedule(schedule)
        .patience(Duration.ofMillis(20))
        .faults(plan)
        .build();
  }

  /** How long some kernels take one after another on a device's default stream. */
  private static long nanos(FaultPlan plan, int device, int kernels) {
    try (SimBackend gpu = backend(Schedule.timed(), plan)) {
      for (int i = 0; i < kernels; i++) {
        gpu.getDevice(device).getDefaultStream().launch(KERNEL);
      }
      gpu.getDevice(device).synchronize();
      return gpu.getTimeNanos();
    }
  }

  @Test
  @DisplayName("takes a multiple of its time, and a delay, from the nth piece on")
  void slow() {
    assertEquals(2_000, nanos(FaultPlan.NONE, 0, 2));
    assertEquals(6_000, nanos(FaultPlan.NONE.slow(WorkSelector.any(), 3), 0, 2));
    assertEquals(2_010, nanos(FaultPlan.NONE.delay(WorkSelector.any().fromNth(2), 10), 0, 2));
    assertEquals(2_000, nanos(FaultPlan.NONE.slow(WorkSelector.ofDevice(1), 3), 0, 2));
    assertEquals(6_000, nanos(FaultPlan.NONE.slow(WorkSelector.ofDevice(1), 3), 1, 2));
    assertEquals(
        6_020,
        nanos(FaultPlan.NONE.delay(WorkSelector.any(), 10).slow(WorkSelector.any(), 3), 0, 2),
        "factors first");
  }

  @Test
  @DisplayName("is slow on one stream and not on another")
  void slowStream() {
    try (SimBackend gpu = backend(Schedule.timed(), FaultPlan.NONE);
        SimStream slow = gpu.getDevice(0).createStream();
        SimStream other = gpu.getDevice(0).createStream()) {
      gpu.getFaults().inject(FaultPlan.NONE.slow(WorkSelector.ofStream(slow), 5));
      slow.launch(KERNEL);
      other.launch(KERNEL);
      other.synchronize();
      assertEquals(1_000, gpu.getTimeNanos());
      assertFalse(slow.isIdle());
      slow.synchronize();
      assertEquals(5_000, gpu.getTimeNanos());
    }
  }

  @Test
  @DisplayName("is slow at random by the seed")
  void slowAtRandom() {
    FaultPlan plan = FaultPlan.NONE.slow(WorkSelector.any().withProbability(0.5), 2);
    long once = nanos(plan, 0, 100);
    assertEquals(once, nanos(plan, 0, 100));
    assertTrue(once > 110_000 && once < 190_000, "took " + once);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("never ends: questions say so, and a wait fails as a watchdog makes it fail")
  void hangs(Schedule schedule) {
    FaultPlan plan = FaultPlan.NONE.hang(WorkSelector.any().fromNth(2));
    try (SimBackend gpu = backend(schedule, plan);
        SimStream stream = gpu.getDevice(0).createStream();
        SimEvent event = gpu.getDevice(0).createEvent()) {
      stream.launch(KERNEL);
      event.record(stream);
      event.synchronize();
      stream.launch(KERNEL);
      event.record(stream);
      gpu.advance(1_000_000_000);
      for (int i = 0; i < 2 * Schedule.QUESTIONS; i++) {
        assertFalse(stream.isIdle());
        assertFalse(event.isComplete());
      }
      FatalDeviceException e = assertThrows(FatalDeviceException.class, stream::synchronize);
      assertEquals(702, e.getStatus().code());
      assertTrue(e.toString().contains("kernel relu on stream"), e.toString());
      FatalDeviceException next = assertThrows(FatalDeviceException.class, event::synchronize);
      assertEquals(702, next.getStatus().code());
      assertTrue(next.toString().contains("kernel relu on stream"), next.toString());
      assertEquals(List.of(), gpu.getHazards(), "no fault of the program");
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("holds up other streams and the host only where they wait for it")
  void othersGoOn(Schedule schedule) {
    try (SimBackend gpu = backend(schedule, FaultPlan.NONE);
        SimStream hung = gpu.getDevice(0).createStream();
        SimStream free = gpu.getDevice(0).createStream();
        SimStream behind = gpu.getDevice(0).createStream();
        SimEvent event = gpu.getDevice(0).createEvent()) {
      gpu.getFaults().inject(FaultPlan.NONE.hang(WorkSelector.ofStream(hung)));
      hung.launch(KERNEL);
      event.record(hung);
      behind.waitFor(event);
      behind.launch(KERNEL);
      free.launch(KERNEL);
      free.synchronize();
      assertThrows(FatalDeviceException.class, behind::synchronize);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("ends when another thread ends the hangs, and does then what it was to do")
  void ended(Schedule schedule) {
    try (SimBackend gpu =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .schedule(schedule)
            .patience(Duration.ofSeconds(60))
            .faults(FaultPlan.NONE.hang(WorkSelector.any()))
            .build()) {
      SimDevice device = gpu.getDevice(0);
      SimStream stream = device.getDefaultStream();
      long address = device.getMemory().allocate(16);
      stream.fill(address, (byte) 7, 16);
      CompletableFuture<Void> wait = CompletableFuture.runAsync(stream::synchronize);
      gpu.getFaults().endHangs();
      wait.join();
      ByteBuffer read = ByteBuffer.allocate(1);
      stream.copyToHost(read, address);
      assertEquals(7, read.get(0));
      assertEquals(FaultPlan.NONE, gpu.getFaults().getPlan());
      device.getMemory().free(address);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("loses its own device, while the others go on and are still checked")
  void losesOneDevice(Schedule schedule) {
    try (SimBackend gpu = backend(schedule, FaultPlan.NONE.hang(WorkSelector.ofDevice(1)))) {
      SimDevice lost = gpu.getDevice(1);
      SimDevice other = gpu.getDevice(0);
      PinnedBuffer host = lost.getPinnedMemory().allocate(16);
      long memory = lost.getMemory().allocate(16);
      lost.getDefaultStream().copyToDevice(memory, host, 0, 16);
      assertThrows(FatalDeviceException.class, lost::synchronize);
      FatalDeviceException next =
          assertThrows(FatalDeviceException.class, () -> lost.getMemory().allocate(16));
      assertEquals(702, next.getStatus().code());
      host.close();
      long address = other.getMemory().allocate(16);
      try (SimStream one = other.createStream();
          SimStream two = other.createStream()) {
        one.fill(address, (byte) 1, 16);
        two.fill(address, (byte) 2, 16);
        other.synchronize();
      }
      other.getMemory().free(address);
      assertEquals(
          List.of(HazardCode.RACE_WAW), gpu.getHazards().stream().map(HazardReport::code).toList());
      assertEquals(List.of(), gpu.getLeaks());
    }
  }
}
