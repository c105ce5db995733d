package org.vramkit.sim;

import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.FREE_IN_FLIGHT;
import static org.vramkit.sim.hazard.HazardCode.HOST_RACE;
import static org.vramkit.sim.hazard.HazardCode.HOST_READ_RACE;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.RELIES_ON_FREE_SYNC;
import static org.vramkit.sim.hazard.HazardCode.UNINIT_READ;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.sim.thread.SingleThread;

/** Bytes that nobody wrote, and the host's part: its memory, its threads, its frees. */
final class HostScenarios {
  private HostScenarios() {}

  static List<Scenario> all() {
    return List.of(
        neverWritten(),
        recycled(),
        copiedUnwritten(),
        halfFilled(),
        writtenUnderCopy(),
        closedUnderCopy(),
        readBeforeCopy(),
        noHandOver(),
        freeAsBarrier());
  }

  private static Scenario neverWritten() {
    return Scenario.of(
            "18",
            "memory that is read before all of it is written",
            scene -> {
              scene.write(scene.s1, scene.block, SIZE - 1);
              scene.read(scene.s1);
            },
            UNINIT_READ)
        .twin(
            "written in two parts by two streams",
            scene -> {
              scene.write(scene.s1, scene.block, 100);
              scene.write(scene.s2, scene.block + 100, SIZE - 100);
              scene.order(scene.s2, scene.s1);
              scene.read(scene.s1);
            })
        .twin(
            "filled",
            scene -> {
              scene.s1.fill(scene.block, (byte) 0, SIZE);
              scene.read(scene.s1);
            });
  }

  private static void reuse(Scene scene) {
    scene.handOut(scene.block, SIZE, scene.s1);
    scene.write(scene.s1);
    scene.takeBack(scene.block, scene.s1);
    scene.handOut(scene.block, SIZE, scene.s1);
  }

  private static Scenario recycled() {
    return Scenario.of(
            "18",
            "a recycled block that still holds its last owner's bytes",
            scene -> {
              reuse(scene);
              scene.read(scene.s1);
            },
            UNINIT_READ)
        .twin(
            "written by its new owner",
            scene -> {
              reuse(scene);
              scene.write(scene.s1);
              scene.read(scene.s1);
            });
  }

  private static Scenario copiedUnwritten() {
    return Scenario.of(
            "18",
            "a copy of unwritten bytes that is read",
            scene -> {
              long target = scene.device.getMemory().allocate(SIZE);
              scene.s1.copy(target, scene.block, SIZE);
              scene.read(scene.s1, target, SIZE);
              scene.read(scene.s1);
            },
            UNINIT_READ)
        .twin(
            "a copy that nobody reads before it is written",
            scene -> {
              long target = scene.device.getMemory().allocate(SIZE);
              scene.s1.copy(target, scene.block, SIZE);
              scene.write(scene.s1, target, SIZE);
              scene.read(scene.s1, target, SIZE);
            });
  }

  /** A program with a page-locked buffer that a copy on the first stream reads. */
  private static Consumer<Scene> uploading(BiConsumer<Scene, PinnedBuffer> then) {
    return scene -> {
      PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(SIZE);
      scene.s1.copyToDevice(scene.block, buffer, 0, SIZE);
      then.accept(scene, buffer);
    };
  }

  /** A program with a page-locked buffer that a copy on the first stream writes. */
  private static Consumer<Scene> downloading(BiConsumer<Scene, PinnedBuffer> then) {
    return scene -> {
      PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(SIZE);
      scene.write(scene.s1);
      scene.s1.copyToHost(buffer, 0, scene.block, SIZE);
      then.accept(scene, buffer);
    };
  }

  private static Scenario writtenUnderCopy() {
    return Scenario.of(
            "19",
            "page-locked bytes written while a copy from them is pending",
            uploading(
                (scene, buffer) -> {
                  buffer.getBytes(7, 1).put(0, (byte) 1);
                  scene.s1.synchronize();
                  buffer.close();
                }),
            HOST_RACE)
        .twin(
            "written after the wait",
            uploading(
                (scene, buffer) -> {
                  scene.s1.synchronize();
                  buffer.getBytes(7, 1).put(0, (byte) 1);
                  scene.s1.synchronize();
                  buffer.close();
                }))
        .twin(
            "written by a copy behind it on the same stream",
            uploading(
                (scene, buffer) -> {
                  scene.s1.fill(scene.block, (byte) 3, SIZE);
                  scene.s1.copyToHost(buffer, 0, scene.block, SIZE);
                  scene.s1.synchronize();
                }));
  }

  private static Scenario closedUnderCopy() {
    return Scenario.of(
            "19",
            "a page-locked buffer closed while a copy from it is pending",
            uploading((scene, buffer) -> buffer.close()),
            FREE_IN_FLIGHT)
        .twin(
            "closed after an event recorded behind the copy",
            uploading(
                (scene, buffer) -> {
                  try (SimEvent event = scene.device.createEvent()) {
                    event.record(scene.s1);
                    event.synchronize();
                  }
                  buffer.close();
                }));
  }

  private static Scenario readBeforeCopy() {
    return Scenario.of(
            "20",
            "page-locked bytes read while the copy to them is pending",
            downloading((scene, buffer) -> scene.backend.hostReads(buffer, 0, 1)),
            HOST_READ_RACE)
        .twin(
            "after an event's query was answered with yes",
            downloading(
                (scene, buffer) -> {
                  try (SimEvent event = scene.device.createEvent()) {
                    event.record(scene.s1);
                    while (!event.isComplete()) {
                      scene.backend.advance(Scene.KERNEL_NANOS);
                    }
                  }
                  scene.backend.hostReads(buffer, 0, 1);
                }))
        .twin(
            "only a view of them, to be read after the wait",
            downloading((scene, buffer) -> buffer.getBytes(0, 1)))
        .twin(
            "declared after the wait, and the next copy after that",
            downloading(
                (scene, buffer) -> {
                  scene.s1.synchronize();
                  scene.backend.hostReads(buffer, 0, SIZE);
                  scene.s2.copyToHost(buffer, 0, scene.block, SIZE);
                }));
  }

  /** Has another thread, which the simulator knows already, do something. */
  private static Consumer<Scene> elsewhere(
      BiConsumer<Scene, HandOff> there, BiConsumer<Scene, HandOff> here) {
    return scene -> {
      ExecutorService worker = SingleThread.named("other");
      try {
        HandOff handOff = scene.backend.newHandOff();
        CompletableFuture.runAsync(scene.s3::isIdle, worker).join();
        scene.write(scene.s1);
        CompletableFuture.runAsync(() -> there.accept(scene, handOff), worker).join();
        here.accept(scene, handOff);
      } finally {
        worker.shutdown();
      }
    };
  }

  private static Scenario noHandOver() {
    return Scenario.of(
            "21",
            "one thread waits for a stream, another uses the result",
            elsewhere(
                (scene, handOff) -> scene.s1.synchronize(),
                (scene, handOff) -> scene.read(scene.s2)),
            RACE_RAW)
        .with(builder -> builder.checker(Scene.PEDANTIC))
        .twin(
            "handed over",
            elsewhere(
                (scene, handOff) -> {
                  scene.s1.synchronize();
                  handOff.publish();
                },
                (scene, handOff) -> {
                  handOff.receive();
                  scene.read(scene.s2);
                }))
        .twin(
            "used by the thread that waited",
            elsewhere(
                (scene, handOff) -> {
                  scene.s1.synchronize();
                  scene.read(scene.s2);
                },
                (scene, handOff) -> scene.read(scene.s1)));
  }

  private static Scenario freeAsBarrier() {
    return Scenario.of(
            "22",
            "a plain free taken for a barrier",
            scene -> {
              long scratch = scene.device.getMemory().allocate(SIZE);
              scene.write(scene.s1);
              scene.device.getMemory().free(scratch);
              scene.read(scene.s2);
            },
            RELIES_ON_FREE_SYNC)
        .twin(
            "with a wait before the free",
            scene -> {
              long scratch = scene.device.getMemory().allocate(SIZE);
              scene.write(scene.s1);
              scene.device.synchronize();
              scene.device.getMemory().free(scratch);
              scene.read(scene.s2);
            });
  }

  private static Scenario halfFilled() {
    return Scenario.of(
            "18",
            "a new page-locked buffer is filled by half and copied whole",
            scene -> {
              PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(SIZE);
              ByteBuffer half = buffer.getBytes(0, (int) SIZE / 2);
              half.put(new byte[(int) SIZE / 2]);
              scene.s1.copyToDevice(scene.block, buffer, 0, SIZE);
              scene.read(scene.s1);
              scene.s1.synchronize();
            },
            UNINIT_READ)
        .twin(
            "and read by half",
            scene -> {
              PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(SIZE);
              buffer.hostWrites(0, SIZE / 2);
              scene.s1.copyToDevice(scene.block, buffer, 0, SIZE);
              scene.read(scene.s1, scene.block, SIZE / 2);
              scene.s1.synchronize();
            })
        .twin(
            "and whole",
            scene -> {
              PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(SIZE);
              buffer.hostWrites(0, SIZE / 2);
              buffer.hostWrites(SIZE / 2, SIZE / 2);
              scene.s1.copyToDevice(scene.block, buffer, 0, SIZE);
              scene.read(scene.s1);
              scene.s1.synchronize();
            });
  }
}
