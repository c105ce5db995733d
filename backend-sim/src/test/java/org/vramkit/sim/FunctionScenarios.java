package org.vramkit.sim;

import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.HOST_RACE;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.vramkit.api.device.PinnedBuffer;

/** Host functions: who may rely on one that has returned. */
final class FunctionScenarios {
  private FunctionScenarios() {}

  static List<Scenario> all() {
    return List.of(refilledBeforeFuture(), otherFuture(), functionOfPoolsWait());
  }

  private static void put(PinnedBuffer buffer, int value) {
    buffer.getBytes(0, 1).put(0, (byte) value);
  }

  private static Scenario refilledBeforeFuture() {
    return Scenario.of(
            "19",
            "a staging buffer is refilled before the future that recycles it",
            FunctionAccessScenarios.filled(
                (scene, buffer) -> {
                  CompletableFuture<Void> done = new CompletableFuture<>();
                  FunctionAccessScenarios.upload(scene, scene.s1, buffer);
                  scene.s1.callHost("done", () -> done.complete(null));
                  put(buffer, 9);
                  done.join();
                }),
            HOST_RACE)
        .twin(
            "after it",
            FunctionAccessScenarios.filled(
                (scene, buffer) -> {
                  for (int round = 1; round <= 3; round++) {
                    CompletableFuture<Void> done = new CompletableFuture<>();
                    FunctionAccessScenarios.upload(scene, scene.s1, buffer);
                    scene.s1.callHost("done", () -> done.complete(null));
                    done.join();
                    put(buffer, round);
                  }
                }))
        .twin(
            "after the latch that two functions count down",
            FunctionAccessScenarios.filled(
                (scene, buffer) -> {
                  CountDownLatch done = new CountDownLatch(2);
                  long other = scene.device.getMemory().allocate(SIZE);
                  FunctionAccessScenarios.upload(scene, scene.s1, buffer);
                  scene.s2.copyToDevice(other, buffer, 0, SIZE);
                  scene.s1.callHost("done", done::countDown);
                  scene.s2.callHost("done too", done::countDown);
                  Latches.await(done);
                  put(buffer, 9);
                  scene.read(scene.s3, scene.block, SIZE);
                  scene.read(scene.s3, other, SIZE);
                }))
        .twin(
            "after a thread that waited for it has ended",
            FunctionAccessScenarios.filled(
                (scene, buffer) -> {
                  CompletableFuture<Void> done = new CompletableFuture<>();
                  FunctionAccessScenarios.upload(scene, scene.s1, buffer);
                  scene.s1.callHost("done", () -> done.complete(null));
                  Thread waiting = new Thread(done::join);
                  waiting.start();
                  join(waiting);
                  put(buffer, 9);
                }));
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Scenario otherFuture() {
    return Scenario.of(
            "20",
            "the future of another stream's function, which was queued before, is waited for",
            scene -> {
              CompletableFuture<Void> done = new CompletableFuture<>();
              scene.s2.callHost("done", () -> done.complete(null));
              scene.write(scene.s1);
              scene.s1.callHost("not awaited", () -> {});
              done.join();
              scene.read(scene.s3);
            },
            RACE_RAW)
        .twin(
            "and the right one",
            scene -> {
              CompletableFuture<Void> done = new CompletableFuture<>();
              CompletableFuture<Void> other = new CompletableFuture<>();
              scene.write(scene.s1);
              scene.s1.callHost("done", () -> done.complete(null));
              scene.s2.callHost("other", () -> other.complete(null));
              CompletableFuture.allOf(done, other).join();
              scene.read(scene.s3);
            })
        .twin(
            "of a pipeline whose functions are waited for in turn",
            scene -> {
              for (SimStream stream : List.of(scene.s1, scene.s2, scene.s1)) {
                CompletableFuture<Void> done = new CompletableFuture<>();
                scene.write(stream);
                stream.callHost("done", () -> done.complete(null));
                done.join();
              }
              scene.read(scene.s3);
            });
  }

  private static void inPool(Scene scene, Runnable calls) {
    scene.device.getMemoryObserver().enterPool();
    try {
      calls.run();
    } finally {
      scene.device.getMemoryObserver().leavePool();
    }
  }

  private static Scenario functionOfPoolsWait() {
    return Scenario.of(
            "19.1",
            "a host function returns because a pool waits for its stream",
            scene -> {
              scene.write(scene.s1);
              scene.s1.callHost("done", () -> {});
              inPool(scene, scene.s1::synchronize);
              scene.read(scene.s2);
            },
            RACE_RAW)
        .twin(
            "another thread waits for its future, and hands over",
            scene -> {
              CompletableFuture<Void> done = new CompletableFuture<>();
              scene.write(scene.s1);
              scene.s1.callHost("done", () -> done.complete(null));
              Thread waiting =
                  new Thread(
                      () -> {
                        done.join();
                        scene.s3.isIdle();
                      });
              waiting.start();
              inPool(scene, scene.s1::synchronize);
              join(waiting);
              scene.read(scene.s2);
            });
  }
}
