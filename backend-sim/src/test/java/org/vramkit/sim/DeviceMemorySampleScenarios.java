package org.vramkit.sim;

import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.ILLEGAL_ADDRESS;
import static org.vramkit.sim.hazard.HazardCode.UNINIT_READ;
import static org.vramkit.sim.hazard.HazardCode.USE_AFTER_FREE;

import java.util.List;
import java.util.function.Consumer;
import org.vramkit.api.device.StreamOrderedMemory;

/** Small programs after samples of CUDA that touch what is gone, not theirs or not yet set. */
final class DeviceMemorySampleScenarios {
  private DeviceMemorySampleScenarios() {}

  static List<Scenario> all() {
    return List.of(asyncPool(), prefixOfRows(), partlyInitialised());
  }

  private static Consumer<Scene> freedInOrder(boolean waits) {
    return scene -> {
      StreamOrderedMemory pool = scene.device.getStreamOrderedMemory();
      long memory = pool.allocate(SIZE, scene.s1);
      scene.write(scene.s1, memory, SIZE);
      pool.free(memory, scene.s1);
      if (waits) {
        scene.s1.synchronize();
        memory = pool.allocate(SIZE, scene.s2);
        scene.write(scene.s2, memory, SIZE);
        pool.free(memory, scene.s2);
      } else {
        scene.read(scene.s1, memory, SIZE);
      }
    };
  }

  private static Scenario asyncPool() {
    return Scenario.of(
            "sample 10",
            "memory is read behind its free in stream order",
            freedInOrder(false),
            USE_AFTER_FREE)
        .twin("it is allocated anew", freedInOrder(true));
  }

  private static Consumer<Scene> rows(long rows) {
    return scene -> {
      long pitch = 512;
      for (int row = 0; row < rows; row++) {
        scene.write(scene.s1, scene.block + row * pitch, pitch);
      }
    };
  }

  private static Scenario prefixOfRows() {
    return Scenario.of("sample 12", "one row too many", rows(9), ILLEGAL_ADDRESS)
        .twin("all of them", rows(8));
  }

  private static Consumer<Scene> initialised(long bytes) {
    return scene -> {
      scene.s1.fill(scene.block, (byte) 0, bytes);
      scene.read(scene.s1);
    };
  }

  private static Scenario partlyInitialised() {
    return Scenario.of("sample 13", "the last byte is not set", initialised(SIZE - 1), UNINIT_READ)
        .twin("all are", initialised(SIZE));
  }
}
