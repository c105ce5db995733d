package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.thread.SingleThread;

/** Threads that are just ending: whoever waits for an executor's end goes on a moment before. */
@DisplayName("Hazards: what a thread waited for that is ending")
@Timeout(60)
class EndingThreadsTest {
  /** Runs on, as a thread on its way out that gets no processor. */
  private static void runOn(long millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (System.nanoTime() - end < 0) {
      Thread.onSpinWait();
    }
  }

  /** Has another thread wait for a stream; it goes on with {@code then} after this returned. */
  private static Thread waitElsewhere(SimStream stream, Runnable then) throws InterruptedException {
    CountDownLatch waited = new CountDownLatch(1);
    Thread thread =
        new Thread(
            () -> {
              stream.synchronize();
              waited.countDown();
              then.run();
            },
            "other");
    thread.start();
    waited.await();
    return thread;
  }

  @Test
  @DisplayName("21, twin: it may take its time to end")
  void endsSlowly() throws Exception {
    try (Scene scene = new Scene(1, Scene.PEDANTIC)) {
      scene.write(scene.s1);
      Thread other = waitElsewhere(scene.s1, () -> runOn(200));
      scene.read(scene.s2);
      assertTrue(!other.isAlive(), "the call that relies on it returns when that is over");
      scene.expect();
    }
  }

  @Test
  @DisplayName("21 one that is parked is not ending, whatever becomes of it later")
  void parked() throws Exception {
    ExecutorService worker = SingleThread.named("other");
    try (Scene scene = new Scene(1, Scene.PEDANTIC)) {
      scene.write(scene.s1);
      worker.submit(scene.s1::synchronize).get();
      scene.read(scene.s2);
      worker.shutdown();
      assertTrue(worker.awaitTermination(1, TimeUnit.MINUTES));
      scene.expect(RACE_RAW);
    } finally {
      worker.shutdownNow();
    }
  }

  @Test
  @DisplayName("21 one that calls again was not ending, and can call meanwhile")
  void callsAgain() throws Exception {
    try (Scene scene = new Scene(1, Scene.PEDANTIC)) {
      scene.write(scene.s1);
      Thread other =
          waitElsewhere(
              scene.s1,
              () -> {
                runOn(100);
                scene.s3.synchronize();
              });
      scene.read(scene.s2);
      other.join();
      scene.expect(RACE_RAW);
    }
  }

  @Test
  @DisplayName("21 what nobody waited for is a race beside what an ending thread waited for")
  void certainBehindDoubtful() throws Exception {
    try (Scene scene = new Scene(1, Scene.PEDANTIC)) {
      scene.write(scene.s1, scene.block, SIZE / 2);
      Thread other = waitElsewhere(scene.s1, () -> runOn(100));
      scene.write(scene.s3, scene.block + SIZE / 2, SIZE / 2);
      scene.read(scene.s2);
      other.join();
      HazardReport report = scene.expect(RACE_RAW).get(0);
      assertEquals(scene.block + SIZE / 2, report.address());
    }
  }

  @Test
  @DisplayName(
      "21 one access that misses a hand-over and an edge is one report, of what comes first")
  void oneReport() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    try (Scene scene = new Scene(1, Scene.PEDANTIC)) {
      scene.write(scene.s1, scene.block, SIZE / 2);
      Thread other =
          waitElsewhere(
              scene.s1,
              () -> {
                try {
                  // A latch is a lock to the checker, so that this is given up as not ending.
                  end.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      scene.write(scene.s3, scene.block + SIZE / 2, SIZE / 2);
      scene.read(scene.s2);
      end.countDown();
      other.join();
      HazardReport report = scene.expect(RACE_RAW).get(0);
      assertEquals(scene.block, report.address());
      assertTrue(report.missing().contains("other waited"), report.missing());
    }
  }
}
