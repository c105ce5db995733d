package org.vramkit.sim;

import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.FREE_IN_FLIGHT;
import static org.vramkit.sim.hazard.HazardCode.HOST_READ_RACE;
import static org.vramkit.sim.hazard.HazardCode.UNINIT_READ;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.vramkit.api.device.PinnedBuffer;

/** Small programs after samples of CUDA whose host shares page-locked memory with copies. */
final class PinnedMemorySampleScenarios {
  private static final long HALF = SIZE / 2;

  private PinnedMemorySampleScenarios() {}

  static List<Scenario> all() {
    return List.of(completedFuture(), unwrittenStaging(), resultOfCallback());
  }

  private static Consumer<Scene> callback(boolean awaited) {
    return scene -> {
      try (PinnedBuffer result = scene.device.getPinnedMemory().allocate(SIZE)) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        scene.write(scene.s1);
        scene.s1.copyToHost(result, 0, scene.block, SIZE);
        scene.s1.callHost("complete", () -> done.complete(true));
        if (awaited) {
          done.join();
        }
        result.hostReads(0, SIZE);
        scene.s1.synchronize();
      }
    };
  }

  private static Scenario completedFuture() {
    return Scenario.of(
            "sample 4",
            "a result is read before the future that a host function completes",
            callback(false),
            HOST_READ_RACE)
        .twin("after it", callback(true));
  }

  private static Consumer<Scene> staged(Consumer<PinnedBuffer> writer) {
    return scene -> {
      try (PinnedBuffer staging = scene.device.getPinnedMemory().allocate(SIZE)) {
        writer.accept(staging);
        scene.s1.copyToDevice(scene.block, staging, 0, SIZE);
        scene.read(scene.s1);
        scene.s1.synchronize();
      }
    };
  }

  private static void fill(PinnedBuffer buffer) {
    buffer.getBytes(0, (int) SIZE).put(new byte[(int) SIZE]);
  }

  private static Scenario unwrittenStaging() {
    return Scenario.of("sample 14", "nobody wrote the staging buffer", staged(s -> {}), UNINIT_READ)
        .twin("a view of it is written", staged(PinnedMemorySampleScenarios::fill))
        .twin(
            "a view of it is written, and again when the copy is done",
            scene -> {
              try (PinnedBuffer staging = scene.device.getPinnedMemory().allocate(SIZE)) {
                fill(staging);
                ByteBuffer view = staging.getBytes(0, 64);
                for (byte round = 0; round < 3; round++) {
                  view.put(0, round);
                  scene.s1.copyToDevice(scene.block, staging, 0, SIZE);
                  scene.read(scene.s1);
                  scene.s1.synchronize();
                }
              }
            })
        .twin("who writes it says so", staged(s -> s.hostWrites(0, SIZE)))
        .twin(
            "a host function writes it",
            scene -> {
              try (PinnedBuffer staging = scene.device.getPinnedMemory().allocate(SIZE)) {
                scene.s2.callHost("load", () -> staging.getBytes(0, 64).put(new byte[64]));
                scene.order(scene.s2, scene.s1);
                scene.s1.copyToDevice(scene.block, staging, 0, SIZE);
                scene.read(scene.s1);
                scene.s1.synchronize();
              }
            })
        .twin(
            "a copy that is still queued writes it",
            scene -> {
              try (PinnedBuffer staging = scene.device.getPinnedMemory().allocate(SIZE)) {
                scene.write(scene.s1, scene.block, HALF);
                scene.s1.copyToHost(staging, 0, scene.block, HALF);
                scene.s1.copyToDevice(scene.block + HALF, staging, 0, HALF);
                scene.read(scene.s1);
                scene.s1.synchronize();
              }
            });
  }

  private static Consumer<Scene> closing(boolean waits) {
    return scene -> {
      PinnedBuffer result = scene.device.getPinnedMemory().allocate(SIZE);
      scene.write(scene.s1);
      scene.s1.copyToHost(result, 0, scene.block, SIZE);
      if (waits) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        scene.s1.callHost("complete", () -> done.complete(true));
        done.join();
      }
      result.close();
    };
  }

  private static Scenario resultOfCallback() {
    return Scenario.of(
            "sample 16", "a result is closed under its copy", closing(false), FREE_IN_FLIGHT)
        .twin("behind the future", closing(true));
  }
}
