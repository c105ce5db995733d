package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAW;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.StreamKind;
import org.vramkit.sim.thread.SingleThread;

/** One thread's wait must not take from the others what they could still wait for. */
@DisplayName("17.15 Every thread that synchronizes waits for the work of closed streams")
class ClosedStreamOrderTest {
  private final ExecutorService worker = SingleThread.named("worker");
  private final Scene scene = new Scene(1, Scene.PEDANTIC);

  /** The worker is known to the simulator before anything is done. */
  @BeforeEach
  void begin() throws Exception {
    elsewhere(scene.s3::synchronize);
  }

  @AfterEach
  void end() {
    worker.shutdownNow();
    scene.close();
  }

  private void elsewhere(Runnable task) throws ExecutionException, InterruptedException {
    worker.submit(task).get();
  }

  private void writeAndClose(StreamKind kind) {
    try (SimStream stream = scene.device.createStream(kind)) {
      scene.write(stream);
    }
  }

  @Test
  @DisplayName("By a thread that waits for the device after another did")
  void secondWait() throws Exception {
    elsewhere(
        () -> {
          writeAndClose(StreamKind.NON_BLOCKING);
          scene.device.synchronize();
        });
    scene.device.synchronize();
    scene.write(scene.s2);
    scene.expect();
  }

  @Test
  @DisplayName("Twin: not by a thread that does not wait itself")
  void noSecondWait() throws Exception {
    elsewhere(
        () -> {
          writeAndClose(StreamKind.NON_BLOCKING);
          scene.device.synchronize();
        });
    scene.write(scene.s2);
    scene.expect(RACE_WAW);
  }

  @Test
  @DisplayName("By the end of the run, after another thread waited")
  void finish() throws Exception {
    elsewhere(
        () -> {
          writeAndClose(StreamKind.NON_BLOCKING);
          scene.device.synchronize();
        });
    scene.backend.finish();
    scene.write(scene.s2);
    scene.expect();
  }

  @Test
  @DisplayName(
      "The default stream waits for a closed blocking stream that another thread synchronized")
  void defaultStream() throws Exception {
    elsewhere(
        () -> {
          writeAndClose(StreamKind.BLOCKING);
          scene.device.synchronize();
        });
    scene.write(scene.device.getDefaultStream());
    scene.expect();
  }

  @Test
  @DisplayName("Twin: the default stream does not wait for a closed non-blocking stream")
  void defaultStreamAfterNonBlocking() throws Exception {
    elsewhere(
        () -> {
          writeAndClose(StreamKind.NON_BLOCKING);
          scene.device.synchronize();
        });
    scene.write(scene.device.getDefaultStream());
    scene.expect(RACE_WAW);
  }

  @Test
  @DisplayName("Twin: not by a blocking stream, which follows the default stream alone")
  void otherBlockingStream() throws Exception {
    elsewhere(
        () -> {
          writeAndClose(StreamKind.BLOCKING);
          scene.device.synchronize();
        });
    try (SimStream other = scene.device.createStream(StreamKind.BLOCKING)) {
      scene.write(other);
    }
    scene.expect(RACE_WAW);
  }

  @Test
  @DisplayName("Closed streams do not accumulate for a thread that never waits")
  void bounded() throws Exception {
    for (int i = 0; i < 2_000; i++) {
      try (SimStream stream = scene.device.createStream()) {
        scene.write(stream);
        stream.synchronize();
      }
    }
    int streams = scene.device.core().streams.getCreated().size();
    assertTrue(streams < 200, () -> streams + " streams");
    elsewhere(
        () -> {
          scene.device.synchronize();
          scene.write(scene.s2);
        });
    scene.expect();
  }
}
