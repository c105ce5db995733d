package org.vramkit.sim;

import static org.vramkit.sim.hazard.HazardCode.DEADLOCK;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("43.7 A deadlock is reported in the end, though a thread without part in it polls")
class BusyProgramTest {
  private static final Duration PATIENCE = Duration.ofMillis(20);

  /** Polls until the end, as a thread of a server does. */
  private static void poll(CountDownLatch end) {
    while (end.getCount() > 0) {
      Latches.awaitFor(end, Duration.ofMillis(1));
    }
  }

  private static void reported(Program program) throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    Thread polling = new Thread(() -> poll(end));
    try (Scene scene =
        new Scene(builder -> builder.schedule(Schedule.of("timed")).patience(PATIENCE))) {
      polling.start();
      program.run(scene, new CountDownLatch(1));
      scene.expect(DEADLOCK);
    } finally {
      end.countDown();
      polling.join();
    }
  }

  private interface Program {
    void run(Scene scene, CountDownLatch latch);
  }

  @Test
  @DisplayName("43.7 the host waits for a function that waits for one of another stream")
  void hostWaits() throws InterruptedException {
    reported(
        (scene, latch) -> {
          scene.s1.callHost("waits", () -> Latches.await(latch));
          scene.s2.callHost("opens", latch::countDown);
          scene.device.synchronize();
        });
  }

  @Test
  @DisplayName("43.7 the host waits for a future of such a function")
  void hostWaitsForAFuture() throws InterruptedException {
    reported(
        (scene, latch) -> {
          CompletableFuture<Void> done = new CompletableFuture<>();
          scene.s1.callHost(
              "waits",
              () -> {
                Latches.await(latch);
                done.complete(null);
              });
          scene.s2.callHost("opens", latch::countDown);
          done.join();
          scene.device.synchronize();
        });
  }
}
