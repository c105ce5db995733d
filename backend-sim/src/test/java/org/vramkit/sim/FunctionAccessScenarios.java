package org.vramkit.sim;

import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.HOST_RACE;
import static org.vramkit.sim.hazard.HazardCode.HOST_READ_RACE;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.vramkit.api.device.PinnedBuffer;

/** Accesses of host functions, which stand where the functions stand in their streams. */
final class FunctionAccessScenarios {
  private FunctionAccessScenarios() {}

  static List<Scenario> all() {
    return List.of(
        filledBesideLaterCopy(),
        filledBesideEarlierCopy(),
        filledBesideCopyThatIsKnown(),
        filledBesideKernel(),
        filledBesideFunction(),
        filledBesideHost(),
        readBesideHost(),
        readBesideManagedWrite(),
        writtenBeforeLaterWrite());
  }

  /** A program with a page-locked buffer whose bytes are all written. */
  static Consumer<Scene> filled(BiConsumer<Scene, PinnedBuffer> program) {
    return scene -> {
      PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(SIZE);
      buffer.getBytes(0, (int) SIZE).put(new byte[(int) SIZE]);
      program.accept(scene, buffer);
      scene.device.synchronize();
    };
  }

  static void upload(Scene scene, SimStream stream, PinnedBuffer buffer) {
    stream.copyToDevice(scene.block, buffer, 0, SIZE);
  }

  private static void fill(SimStream stream, PinnedBuffer buffer) {
    stream.callHost("fill", () -> buffer.hostWrites(0, SIZE));
  }

  private static Scenario filledBesideLaterCopy() {
    return Scenario.of(
            "19",
            "a host function fills a buffer beside a copy that was queued later",
            filled(
                (scene, buffer) -> {
                  fill(scene.s2, buffer);
                  upload(scene, scene.s1, buffer);
                  scene.s2.synchronize();
                }),
            HOST_RACE)
        .twin(
            "the copy waits for it",
            filled(
                (scene, buffer) -> {
                  fill(scene.s2, buffer);
                  scene.order(scene.s2, scene.s1);
                  upload(scene, scene.s1, buffer);
                  scene.s2.synchronize();
                }));
  }

  private static Scenario filledBesideEarlierCopy() {
    return Scenario.of(
            "19",
            "a host function fills a buffer beside a copy that was queued earlier",
            filled(
                (scene, buffer) -> {
                  upload(scene, scene.s1, buffer);
                  fill(scene.s2, buffer);
                  scene.s2.synchronize();
                }),
            HOST_RACE)
        .twin(
            "its stream waits for the copy",
            filled(
                (scene, buffer) -> {
                  upload(scene, scene.s1, buffer);
                  scene.order(scene.s1, scene.s2);
                  fill(scene.s2, buffer);
                  scene.s2.synchronize();
                }));
  }

  private static Scenario filledBesideCopyThatIsKnown() {
    return Scenario.of(
            "19",
            "a host function fills a buffer beside a copy that is waited for before the function",
            filled(
                (scene, buffer) -> {
                  fill(scene.s2, buffer);
                  upload(scene, scene.s1, buffer);
                  scene.device.synchronize();
                }),
            HOST_RACE)
        .twin(
            "the function is queued after the wait",
            filled(
                (scene, buffer) -> {
                  upload(scene, scene.s1, buffer);
                  scene.s1.synchronize();
                  fill(scene.s2, buffer);
                  scene.device.synchronize();
                }));
  }

  private static Scenario filledBesideKernel() {
    return Scenario.of(
            "19",
            "a host function fills a buffer beside a kernel that reads it where it is",
            filled(
                (scene, buffer) -> {
                  fill(scene.s2, buffer);
                  scene.read(scene.s1, buffer.getAddress(), SIZE);
                  scene.s2.synchronize();
                }),
            HOST_RACE)
        .twin(
            "the kernel touches another part",
            filled(
                (scene, buffer) -> {
                  scene.s2.callHost("fill", () -> buffer.hostWrites(0, SIZE / 2));
                  scene.read(scene.s1, buffer.getAddress() + SIZE / 2, SIZE / 2);
                  scene.s2.synchronize();
                }));
  }

  private static Scenario filledBesideFunction() {
    return Scenario.of(
            "19",
            "two host functions of unordered streams fill a buffer",
            filled(
                (scene, buffer) -> {
                  fill(scene.s1, buffer);
                  fill(scene.s2, buffer);
                  scene.s1.synchronize();
                  scene.s2.synchronize();
                }),
            HOST_RACE)
        .twin(
            "of one stream",
            filled(
                (scene, buffer) -> {
                  fill(scene.s1, buffer);
                  fill(scene.s1, buffer);
                }));
  }

  private static Scenario filledBesideHost() {
    return Scenario.of(
            "19",
            "a thread fills a buffer that a queued host function fills",
            filled(
                (scene, buffer) -> {
                  fill(scene.s1, buffer);
                  buffer.hostWrites(0, SIZE);
                  scene.s1.synchronize();
                }),
            HOST_RACE)
        .twin(
            "before the function is queued, and after it is waited for",
            filled(
                (scene, buffer) -> {
                  buffer.hostWrites(0, SIZE);
                  fill(scene.s1, buffer);
                  scene.s1.synchronize();
                  buffer.hostWrites(0, SIZE);
                }));
  }

  private static Scenario readBesideHost() {
    return Scenario.of(
        "20",
        "a host function reads what a thread writes after queueing it",
        filled(
            (scene, buffer) -> {
              scene.s1.callHost("check", () -> buffer.hostReads(0, SIZE));
              buffer.hostWrites(0, SIZE);
              scene.s1.synchronize();
            }),
        HOST_READ_RACE);
  }

  private static Scenario readBesideManagedWrite() {
    return Scenario.of(
            "20",
            "a host function reads managed memory beside the kernel that writes it",
            scene -> {
              PinnedBuffer managed = scene.device.getManagedMemory().allocate(SIZE);
              scene.s2.callHost("check", () -> managed.hostReads(0, SIZE));
              scene.write(scene.s1, managed.getAddress(), SIZE);
              scene.device.synchronize();
            },
            HOST_READ_RACE)
        .twin(
            "behind it",
            scene -> {
              PinnedBuffer managed = scene.device.getManagedMemory().allocate(SIZE);
              scene.write(scene.s1, managed.getAddress(), SIZE);
              scene.s1.callHost("check", () -> managed.hostReads(0, SIZE));
              scene.device.synchronize();
            });
  }

  private static Scenario writtenBeforeLaterWrite() {
    return Scenario.of(
            "19",
            "a host function fills a buffer between two copies to it, and beside the first",
            filled(
                (scene, buffer) -> {
                  scene.write(scene.s1);
                  scene.s1.copyToHost(buffer, 0, scene.block, SIZE);
                  fill(scene.s2, buffer);
                  scene.order(scene.s2, scene.s1);
                  scene.s1.copyToHost(buffer, 0, scene.block, SIZE);
                }),
            HOST_RACE)
        .twin(
            "behind the first",
            filled(
                (scene, buffer) -> {
                  scene.write(scene.s1);
                  scene.s1.copyToHost(buffer, 0, scene.block, SIZE);
                  scene.order(scene.s1, scene.s2);
                  fill(scene.s2, buffer);
                  scene.order(scene.s2, scene.s1);
                  scene.s1.copyToHost(buffer, 0, scene.block, SIZE);
                }));
  }
}
