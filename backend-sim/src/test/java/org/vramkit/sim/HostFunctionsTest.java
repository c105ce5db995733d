package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.hazard.HazardCode.DEADLOCK;
import static org.vramkit.sim.hazard.HazardCode.HOST_RACE;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Host functions that fill page-locked memory in stream order")
class HostFunctionsTest {
  private static final int BYTES = 64;

  /** Ten times as long, a thread of a busy machine gets to run and to end its function. */
  private static final Duration BUSY = Duration.ofMillis(100);

  static List<Schedule> schedules() {
    return Schedule.all();
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("19, twin: a buffer that a host function fills before each of its copies")
  void filledInOrder(Schedule schedule) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(BYTES);
      ByteBuffer view = buffer.getBytes(0, BYTES);
      scene.write(scene.s2);
      scene.order(scene.s2, scene.s1);
      for (byte round = 1; round <= 3; round++) {
        byte value = round;
        scene.s1.callHost("fill", () -> view.put(0, value));
        scene.s1.copyToDevice(scene.block + BYTES * value, buffer, 0, BYTES);
      }
      scene.s1.synchronize();
      for (byte round = 1; round <= 3; round++) {
        ByteBuffer copied = ByteBuffer.allocate(1);
        scene.s1.copyToHost(copied, scene.block + BYTES * round);
        assertEquals(round, copied.get(0));
      }
      buffer.close();
      scene.expect();
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("19 a thread's write during a copy is found, even if a host function follows")
  void writtenByThread(Schedule schedule) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(BYTES);
      ByteBuffer view = buffer.getBytes(0, BYTES);
      scene.s1.copyToDevice(scene.block, buffer, 0, BYTES);
      view.put(7, (byte) 1);
      scene.s1.callHost("fill", () -> view.put(7, (byte) 2));
      scene.s1.synchronize();
      assertEquals(buffer.getAddress() + 7, scene.expect(HOST_RACE).get(0).address());
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("19 a thread's write during a copy is found while an unordered host function runs")
  void writtenBesideFunction(Schedule schedule) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(BYTES);
      buffer.getBytes(0, BYTES).put(new byte[BYTES]);
      CountDownLatch written = new CountDownLatch(1);
      scene.s2.callHost("await", () -> Latches.await(written));
      scene.askUntilBegun(scene.s2);
      scene.s1.copyToDevice(scene.block, buffer, 0, BYTES);
      buffer.getBytes(7, 1).put(0, (byte) 1);
      written.countDown();
      scene.s2.synchronize();
      scene.s1.synchronize();
      assertEquals(buffer.getAddress() + 7, scene.expect(HOST_RACE).get(0).address());
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("19 a host function's write through a view during an unordered copy is found")
  void writtenByUnorderedFunction(Schedule schedule) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(BYTES);
      ByteBuffer view = buffer.getBytes(0, BYTES);
      view.put(new byte[BYTES]);
      scene.s1.copyToDevice(scene.block, buffer, 0, BYTES);
      scene.s2.callHost("fill", () -> view.put(3, (byte) 1));
      scene.s2.synchronize();
      scene.s1.synchronize();
      assertEquals(buffer.getAddress() + 3, scene.expect(HOST_RACE).get(0).address());
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName(
      "19, twin: a function behind a copy fills the buffer while another copy waits for it")
  void filledForNextCopy(Schedule schedule) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(BYTES);
      ByteBuffer view = buffer.getBytes(0, BYTES);
      view.put(new byte[BYTES]);
      CountDownLatch more = new CountDownLatch(1);
      scene.s1.copyToDevice(scene.block, buffer, 0, BYTES);
      scene.s1.callHost(
          "fill",
          () -> {
            view.put(3, (byte) 1);
            Latches.await(more);
          });
      scene.askUntilBegun(scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.s2.copyToDevice(scene.block, buffer, 0, BYTES);
      scene.s2.copyToDevice(scene.block, buffer, 0, BYTES);
      more.countDown();
      scene.s2.synchronize();
      scene.expect();
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName(
      "A function that waits for one of another stream is a deadlock, where they run in turn")
  void waitingForAnother(Schedule schedule) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule).patience(BUSY))) {
      CountDownLatch latch = new CountDownLatch(1);
      scene.s1.callHost("waits", () -> Latches.await(latch));
      scene.s2.callHost("opens", latch::countDown);
      scene.device.synchronize();
      String cycle = scene.expect(DEADLOCK).get(0).missing();
      assertTrue(cycle.contains("before host function waits, which waits for"), cycle);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A program that waits only for a future continues")
  void waitingForAnotherUnseen(Schedule schedule) {
    waitingUnseen(schedule, Latches::await);
  }

  /** Waits for a future that a function completes once a function of another stream has run. */
  private static void waitingUnseen(Schedule schedule, Consumer<CountDownLatch> wait) {
    try (Scene scene =
        new Scene(builder -> builder.schedule(schedule).patience(Duration.ofMillis(20)))) {
      CountDownLatch latch = new CountDownLatch(1);
      CompletableFuture<Void> done = new CompletableFuture<>();
      scene.s1.callHost(
          "waits",
          () -> {
            wait.accept(latch);
            done.complete(null);
          });
      scene.s2.callHost("opens", latch::countDown);
      done.join();
      scene.expect(DEADLOCK);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("Twin: a host function that waits for an earlier one of its stream")
  void waitingForEarlier(Schedule schedule) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      CountDownLatch latch = new CountDownLatch(1);
      scene.s2.callHost("opens", latch::countDown);
      scene.order(scene.s2, scene.s1);
      scene.s1.callHost("waits", () -> Latches.await(latch));
      scene.device.synchronize();
      scene.expect();
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("43.7 a function that waits with a timeout for one of another stream is a deadlock")
  void waitingForAnotherWithATimeout(Schedule schedule) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule).patience(BUSY))) {
      CountDownLatch latch = new CountDownLatch(1);
      scene.s1.callHost("waits", () -> Latches.awaitFor(latch, Duration.ofMinutes(1)));
      scene.s2.callHost("opens", latch::countDown);
      scene.s1.synchronize();
      scene.s2.synchronize();
      scene.expect(DEADLOCK);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("43.7 a program that waits for a future of such a function continues, with a report")
  void waitingForAnotherWithATimeoutUnseen(Schedule schedule) {
    waitingUnseen(schedule, latch -> Latches.awaitFor(latch, Duration.ofMinutes(1)));
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("43.7, twin: a wait whose timeout ends it keeps no other function from beginning")
  void waitingWithATimeout(Schedule schedule) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule).patience(BUSY))) {
      CountDownLatch latch = new CountDownLatch(1);
      scene.s1.callHost("waits", () -> Latches.awaitFor(latch, Duration.ofMillis(200)));
      scene.s1.synchronize();
      scene.expect();
    }
  }

  /** Long enough that a thread of a busy machine runs within it. */
  private static final Duration PATIENCE = Duration.ofMillis(300);

  /** Polls with short timeouts for longer than the patience. */
  private static void poll(CountDownLatch latch) {
    for (long begun = System.nanoTime(); System.nanoTime() - begun < 3 * PATIENCE.toNanos(); ) {
      Latches.awaitFor(latch, Duration.ofMillis(1));
    }
  }

  private static void sleep(Duration time) {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void inTime(BiConsumer<Scene, CountDownLatch> program) {
    try (Scene scene =
        new Scene(builder -> builder.schedule(Schedule.of("timed")).patience(PATIENCE))) {
      program.accept(scene, new CountDownLatch(1));
      scene.device.synchronize();
      scene.expect();
    }
  }

  @Test
  @DisplayName("43.7, twin: a function that polls with short timeouts may let another one wait")
  void pollingBesideAnother() {
    inTime(
        (scene, latch) -> {
          scene.s1.callHost("polls", () -> poll(latch));
          scene.s2.callHost("waits", () -> {});
          scene.s1.synchronize();
        });
  }

  @Test
  @DisplayName("43.7, twin: a program that waits for a future of a polling function")
  void pollingBesideAnotherUnseen() {
    inTime(
        (scene, latch) -> {
          CompletableFuture<Void> done = new CompletableFuture<>();
          scene.s2.callHost("waits", () -> {});
          scene.s1.callHost(
              "polls",
              () -> {
                poll(latch);
                done.complete(null);
              });
          done.join();
        });
  }

  @Test
  @DisplayName("43.7, twin: a function may wait for a thread that polls, sleeps or computes longer")
  void waitingForABusyThread() {
    List<Consumer<CountDownLatch>> works =
        List.of(
            HostFunctionsTest::poll,
            latch -> sleep(PATIENCE.multipliedBy(3)),
            latch -> {
              for (long begun = System.nanoTime();
                  System.nanoTime() - begun < 3 * PATIENCE.toNanos(); ) {
                Thread.onSpinWait();
              }
            });
    for (Consumer<CountDownLatch> work : works) {
      inTime(
          (scene, latch) -> {
            scene.s1.callHost("waits", () -> Latches.await(latch));
            scene.s2.callHost("waits as well", () -> {});
            Thread busy =
                new Thread(
                    () -> {
                      work.accept(latch);
                      latch.countDown();
                    });
            busy.start();
            scene.s1.synchronize();
          });
    }
  }

  @Test
  @DisplayName("43.7, twin: a thread may take longer to open the gate for which another one waits")
  void waitingForAGate() {
    inTime(
        (scene, latch) -> {
          SimGate gate = scene.backend.createGate("late");
          scene.s1.waitFor(gate);
          Thread opener =
              new Thread(
                  () -> {
                    poll(latch);
                    gate.open();
                  });
          opener.start();
          scene.s1.synchronize();
        });
  }

  /** Copies a buffer behind a gate that a host function opens, and writes the buffer there. */
  private static void opening(
      Schedule schedule, BiConsumer<SimGate, PinnedBuffer> function, HazardCode... expected) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(BYTES);
      buffer.hostWrites(0, BYTES);
      SimGate gate = scene.backend.createGate("gate");
      scene.s2.waitFor(gate);
      scene.s2.copyToDevice(scene.block, buffer, 0, BYTES);
      scene.s1.callHost("opens", () -> function.accept(gate, buffer));
      scene.device.synchronize();
      scene.expect(expected);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("43.3 what a function writes after it opens a gate races with the work behind it")
  void writesAfterOpening(Schedule schedule) {
    opening(
        schedule,
        (gate, buffer) -> {
          gate.open();
          buffer.hostWrites(0, BYTES);
        },
        HOST_RACE);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("43.3, twin: what a function writes before it opens a gate comes before that work")
  void writesBeforeOpening(Schedule schedule) {
    opening(
        schedule,
        (gate, buffer) -> {
          buffer.hostWrites(0, BYTES);
          gate.open();
        });
  }
}
