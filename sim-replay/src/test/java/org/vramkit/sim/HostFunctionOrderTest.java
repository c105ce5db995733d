package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.hazard.HazardCode.DEADLOCK;
import static org.vramkit.sim.hazard.HazardCode.HOST_READ_RACE;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.sim.replay.ProgramRecorder;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Host functions: what they complete orders what waits for it")
class HostFunctionOrderTest {
  private static final int BYTES = 64;

  static List<Schedule> schedules() {
    return Schedule.all();
  }

  private static Scene scene(Schedule schedule) {
    return new Scene(builder -> builder.schedule(schedule).recorder(new ProgramRecorder()));
  }

  private static PinnedBuffer copied(Scene scene) {
    PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(BYTES);
    scene.write(scene.s1);
    scene.s1.copyToHost(buffer, 0, scene.block, BYTES);
    return buffer;
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A future that a function completes is waited for, and nothing else")
  void future(Schedule schedule) throws Exception {
    try (Scene scene = scene(schedule)) {
      PinnedBuffer buffer = copied(scene);
      CompletableFuture<Void> copied = new CompletableFuture<>();
      scene.s1.callHost("complete", () -> copied.complete(null));
      copied.get();
      scene.backend.hostReads(buffer, 0, BYTES);
      scene.read(scene.s2);
      scene.expect();
      Replays.expectSame(scene);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A future without a wait orders nothing")
  void futureNotWaitedFor(Schedule schedule) {
    try (Scene scene = scene(schedule)) {
      PinnedBuffer buffer = copied(scene);
      scene.s1.callHost("complete", () -> {});
      scene.s2.synchronize();
      scene.read(scene.s2);
      scene.backend.hostReads(buffer, 0, BYTES);
      scene.expect(RACE_RAW, HOST_READ_RACE);
      Replays.expectSame(scene);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A future completed before the copy in its stream does not order the copy")
  void futureTooEarly(Schedule schedule) throws Exception {
    try (Scene scene = scene(schedule)) {
      PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(BYTES);
      scene.write(scene.s1);
      CompletableFuture<Void> done = new CompletableFuture<>();
      scene.s1.callHost("complete", () -> done.complete(null));
      scene.s1.copyToHost(buffer, 0, scene.block, BYTES);
      done.get();
      scene.backend.hostReads(buffer, 0, BYTES);
      scene.expect(HOST_READ_RACE);
      Replays.expectSame(scene);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A thread that polls a variable, asleep or not, continues")
  void variable(Schedule schedule) throws Exception {
    try (Scene scene = scene(schedule)) {
      PinnedBuffer buffer = copied(scene);
      AtomicBoolean copied = new AtomicBoolean();
      scene.s1.callHost("set", () -> copied.set(true));
      while (!copied.get()) {
        Thread.sleep(1);
      }
      scene.backend.hostReads(buffer, 0, BYTES);
      AtomicBoolean again = new AtomicBoolean();
      scene.s1.copyToHost(buffer, 0, scene.block, BYTES);
      scene.s1.callHost("set", () -> again.set(true));
      while (!again.get()) {
        Thread.onSpinWait();
      }
      scene.backend.hostReads(buffer, 0, BYTES);
      scene.expect();
      Replays.expectSame(scene);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A function that awaits another thread continues when that thread is done")
  void latch(Schedule schedule) throws Exception {
    try (Scene scene = scene(schedule)) {
      CountDownLatch latch = new CountDownLatch(1);
      scene.s1.callHost(
          "await", () -> assertTrue(assertDone(latch), "counted down by the other thread"));
      PinnedBuffer buffer = copied(scene);
      Thread other =
          new Thread(
              () -> {
                scene.s2.isIdle();
                latch.countDown();
              });
      other.start();
      scene.s1.synchronize();
      scene.backend.hostReads(buffer, 0, BYTES);
      other.join();
      scene.expect();
      assertEquals(List.of(), scene.backend.getHolders());
    }
  }

  private static boolean assertDone(CountDownLatch latch) {
    try {
      latch.await();
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A function that awaits what the host does next holds its stream alone")
  void latchOfTheHost(Schedule schedule) {
    try (Scene scene = scene(schedule)) {
      CountDownLatch latch = new CountDownLatch(1);
      scene.s1.callHost("await", () -> assertTrue(assertDone(latch)));
      for (int i = 0; i < 2 * Schedule.QUESTIONS; i++) {
        scene.s1.isIdle();
      }
      scene.write(scene.s2);
      scene.s2.synchronize();
      latch.countDown();
      scene.s1.synchronize();
      scene.expect();
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A function that needs the lock of the thread that waits for it is a deadlock")
  void deadlock(Schedule schedule) {
    try (Scene scene =
        new Scene(builder -> builder.schedule(schedule).patience(Duration.ofMillis(50)))) {
      Object lock = new Object();
      AtomicBoolean ran = new AtomicBoolean();
      synchronized (lock) {
        scene.s1.callHost(
            "locks",
            () -> {
              synchronized (lock) {
                ran.set(true);
              }
            });
        assertThrows(FatalDeviceException.class, scene.s1::synchronize);
      }
      String cycle = scene.expect(DEADLOCK).get(0).missing();
      assertTrue(cycle.contains("waits for host function locks, which waits for"), cycle);
      assertTrue(cycle.contains("held by thread " + Thread.currentThread().getName()), cycle);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A function passes its knowledge by a HandOff to the thread that receives it")
  void handOff(Schedule schedule) throws Exception {
    try (Scene scene = scene(schedule)) {
      HandOff handOff = scene.backend.newHandOff();
      PinnedBuffer buffer = copied(scene);
      CompletableFuture<Void> copied = new CompletableFuture<>();
      scene.s1.callHost(
          "hand over",
          () -> {
            handOff.publish();
            copied.complete(null);
          });
      copied.get();
      handOff.receive();
      scene.backend.hostReads(buffer, 0, BYTES);
      scene.expect();
      Replays.expectSame(scene);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName(
      "Accesses that a host function declares are ordered with its stream, before and after")
  void declared(Schedule schedule) {
    try (Scene scene = scene(schedule)) {
      PinnedBuffer buffer = copied(scene);
      scene.s1.callHost(
          "use",
          () -> {
            scene.backend.hostReads(buffer, 0, BYTES);
            scene.backend.hostWrites(buffer, 0, BYTES);
          });
      scene.s1.copyToDevice(scene.block, buffer, 0, BYTES);
      scene.order(scene.s1, scene.s2);
      scene.s2.copyToDevice(scene.block, buffer, 0, BYTES);
      scene.s2.synchronize();
      scene.backend.hostWrites(buffer, 0, BYTES);
      scene.expect();
      Replays.expectSame(scene);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A read that a host function declares is a race if nothing orders its stream")
  void declaredUnordered(Schedule schedule) {
    try (Scene scene = scene(schedule)) {
      PinnedBuffer buffer = copied(scene);
      scene.s2.callHost("use", () -> scene.backend.hostReads(buffer, 0, BYTES));
      scene.s2.synchronize();
      scene.expect(HOST_READ_RACE);
      Replays.expectSame(scene);
    }
  }
}
