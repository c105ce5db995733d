package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.FREE_IN_FLIGHT;
import static org.vramkit.sim.hazard.HazardCode.HOST_RACE;
import static org.vramkit.sim.hazard.HazardCode.HOST_READ_RACE;
import static org.vramkit.sim.hazard.HazardCode.OUT_OF_BOUNDS;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAR;
import static org.vramkit.sim.hazard.HazardCode.USE_AFTER_FREE;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.LeakKind;

/** Work that reads and writes page-locked and managed memory by its address. */
final class SharedMemoryScenarios {
  private SharedMemoryScenarios() {}

  static List<Scenario> all() {
    return Stream.of(
            of("pinned", scene -> scene.device.getPinnedMemory().allocate(SIZE)),
            of("managed", scene -> scene.device.getManagedMemory().allocate(SIZE)))
        .flatMap(List::stream)
        .toList();
  }

  private static List<Scenario> of(String kind, Function<Scene, PinnedBuffer> memory) {
    return List.of(
        hostReads(kind, memory),
        hostWrites(kind, memory),
        viewWrites(kind, memory),
        betweenStreams(kind, memory),
        copies(kind, memory),
        closes(kind, memory),
        later(kind, memory),
        bounds(kind, memory),
        leaves(kind, memory));
  }

  private static Consumer<Scene> with(
      Function<Scene, PinnedBuffer> memory, BiConsumer<Scene, PinnedBuffer> program) {
    return scene -> {
      try (PinnedBuffer buffer = memory.apply(scene)) {
        program.accept(scene, buffer);
        scene.backend.finish();
        scene.device.synchronize();
      }
    };
  }

  private static Scenario hostReads(String kind, Function<Scene, PinnedBuffer> memory) {
    return Scenario.of(
            "shared, " + kind,
            "the host reads what a kernel writes, without waiting for it",
            with(
                memory,
                (scene, buffer) -> {
                  scene.write(scene.s1, buffer.getAddress(), SIZE);
                  buffer.hostReads(0, SIZE);
                }),
            HOST_READ_RACE)
        .twin(
            "it waits",
            with(
                memory,
                (scene, buffer) -> {
                  scene.write(scene.s1, buffer.getAddress(), SIZE);
                  scene.s1.synchronize();
                  buffer.hostReads(0, SIZE);
                }))
        .twin(
            "both read",
            with(
                memory,
                (scene, buffer) -> {
                  buffer.hostWrites(0, SIZE);
                  scene.read(scene.s1, buffer.getAddress(), SIZE);
                  buffer.hostReads(0, SIZE);
                }))
        .twin(
            "each has a part",
            with(
                memory,
                (scene, buffer) -> {
                  scene.write(scene.s1, buffer.getAddress(), SIZE / 2);
                  buffer.hostReads(SIZE / 2, SIZE / 2);
                }));
  }

  private static Scenario hostWrites(String kind, Function<Scene, PinnedBuffer> memory) {
    return Scenario.of(
            "shared, " + kind,
            "the host writes what a kernel still reads",
            with(
                memory,
                (scene, buffer) -> {
                  buffer.hostWrites(0, SIZE);
                  scene.read(scene.s1, buffer.getAddress(), SIZE);
                  buffer.hostWrites(0, 16);
                }),
            HOST_RACE)
        .twin(
            "a round for each step",
            with(
                memory,
                (scene, buffer) -> {
                  for (int i = 0; i < 3; i++) {
                    buffer.hostWrites(0, SIZE);
                    scene.read(scene.s1, buffer.getAddress(), SIZE);
                    scene.s1.synchronize();
                  }
                }));
  }

  private static Scenario viewWrites(String kind, Function<Scene, PinnedBuffer> memory) {
    return Scenario.of(
            "shared, " + kind,
            "a view is written under a kernel that reads the bytes",
            with(
                memory,
                (scene, buffer) -> {
                  scene.read(scene.s1, buffer.getAddress() + 64, 64);
                  buffer.getBytes(0, 128).put(70, (byte) 1);
                }),
            HOST_RACE)
        .twin(
            "beside them",
            with(
                memory,
                (scene, buffer) -> {
                  scene.read(scene.s1, buffer.getAddress() + 64, 64);
                  buffer.getBytes(0, 64).put(10, (byte) 1);
                }))
        .twin(
            "a kernel of the same stream writes them, which is no doing of the host",
            with(
                memory,
                (scene, buffer) -> {
                  long address = buffer.getAddress();
                  scene.read(scene.s1, address, 64);
                  scene.s1.launch(
                      SimKernel.named("increment")
                          .reads(address, 64)
                          .writes(address, 64)
                          .body(bytes -> bytes.fill(address, (byte) 7, 64))
                          .build());
                  scene.s1.fill(address, (byte) 8, 64);
                  scene.s1.copy(address + 128, address, 64);
                  scene.s1.synchronize();
                }));
  }

  private static Scenario betweenStreams(String kind, Function<Scene, PinnedBuffer> memory) {
    return Scenario.of(
            "shared, " + kind,
            "two streams, one of which writes",
            with(
                memory,
                (scene, buffer) -> {
                  scene.write(scene.s1, buffer.getAddress(), SIZE);
                  scene.read(scene.s2, buffer.getAddress(), SIZE);
                }),
            RACE_RAW)
        .twin(
            "with an event, also on another device",
            with(
                memory,
                (scene, buffer) -> {
                  scene.write(scene.s1, buffer.getAddress(), SIZE);
                  SimStream far = scene.other.createStream();
                  scene.order(scene.s1, far);
                  scene.read(far, buffer.getAddress(), SIZE);
                  far.synchronize();
                  far.close();
                }));
  }

  private static Scenario copies(String kind, Function<Scene, PinnedBuffer> memory) {
    return Scenario.of(
            "shared, " + kind,
            "a kernel writes what a copy of another stream reads",
            with(
                memory,
                (scene, buffer) -> {
                  buffer.hostWrites(0, SIZE);
                  scene.s1.copyToDevice(scene.block, buffer, 0, SIZE);
                  scene.write(scene.s2, buffer.getAddress(), SIZE);
                }),
            RACE_WAR)
        .twin(
            "of the same stream; what the kernel wrote counts as written",
            with(
                memory,
                (scene, buffer) -> {
                  scene.write(scene.s1, buffer.getAddress(), SIZE);
                  scene.s1.copyToDevice(scene.block, buffer, 0, SIZE);
                  scene.read(scene.s1);
                }))
        .twin(
            "bytes that come from a device are written, before they are there",
            with(
                memory,
                (scene, buffer) -> {
                  long second = scene.device.getMemory().allocate(SIZE);
                  scene.write(scene.s1);
                  scene.s1.copyToHost(buffer, 0, scene.block, SIZE);
                  scene.s1.copyToDevice(second, buffer, 0, SIZE);
                  scene.read(scene.s1, second, SIZE);
                  scene.s1.synchronize();
                  scene.device.getMemory().free(second);
                }));
  }

  private static Scenario closes(String kind, Function<Scene, PinnedBuffer> memory) {
    return Scenario.of(
            "shared, " + kind,
            "it is closed under a kernel",
            scene -> {
              PinnedBuffer buffer = memory.apply(scene);
              scene.write(scene.s1, buffer.getAddress(), SIZE);
              buffer.close();
            },
            FREE_IN_FLIGHT)
        .twin(
            "after a wait",
            with(
                memory,
                (scene, buffer) -> {
                  scene.write(scene.s1, buffer.getAddress(), SIZE);
                  scene.s1.synchronize();
                }));
  }

  private static Scenario later(String kind, Function<Scene, PinnedBuffer> memory) {
    return Scenario.of(
            "shared, " + kind,
            "a kernel uses the address of a closed buffer",
            scene -> {
              PinnedBuffer buffer = memory.apply(scene);
              long address = buffer.getAddress();
              buffer.close();
              scene.read(scene.s1, address + 16, 16);
            },
            USE_AFTER_FREE)
        .with(builder -> builder.checker(CheckerOptions.DEFAULT.withFatalIllegalAccess(false)));
  }

  private static Scenario bounds(String kind, Function<Scene, PinnedBuffer> memory) {
    return Scenario.of(
        "shared, " + kind,
        "a kernel reads beyond the end",
        with(memory, (scene, buffer) -> scene.read(scene.s1, buffer.getAddress() + 1, SIZE)),
        OUT_OF_BOUNDS);
  }

  private static Scenario leaves(String kind, Function<Scene, PinnedBuffer> memory) {
    return Scenario.leaving(
            "shared, " + kind,
            "a buffer that nobody closes",
            scene -> assertNotNull(memory.apply(scene)),
            kind.equals("managed") ? LeakKind.MANAGED_BUFFER : LeakKind.PINNED_BUFFER)
        .twinLeavingNothing("closed", scene -> memory.apply(scene).close());
  }
}
