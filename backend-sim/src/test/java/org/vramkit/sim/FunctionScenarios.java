package org.vramkit.sim;

import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.HOST_RACE;
import static org.vramkit.sim.hazard.HazardCode.HOST_READ_RACE;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAW;
import static org.vramkit.sim.hazard.HazardCode.UNINIT_READ;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.vramkit.api.device.PinnedBuffer;

/** Host functions and gates: where their accesses stand, and what their return lets rely on. */
final class FunctionScenarios {
  private FunctionScenarios() {}

  static List<Scenario> all() {
    return List.of(
        refilledBeforeFuture(),
        filledBesideLaterCopy(),
        filledBesideEarlierCopy(),
        filledBesideCopyThatIsKnown(),
        filledBesideKernel(),
        filledBesideFunction(),
        filledBesideHost(),
        readBesideHost(),
        readBesideManagedWrite(),
        writtenBeforeLaterWrite(),
        otherFuture(),
        functionOfPoolsWait(),
        functionOnTheWay(),
        gatedWrite(),
        halfFilled());
  }

  /** A program with a page-locked buffer whose bytes are all written. */
  private static Consumer<Scene> filled(BiConsumer<Scene, PinnedBuffer> program) {
    return scene -> {
      PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(SIZE);
      buffer.getBytes(0, (int) SIZE).put(new byte[(int) SIZE]);
      program.accept(scene, buffer);
      scene.device.synchronize();
    };
  }

  private static void upload(Scene scene, SimStream stream, PinnedBuffer buffer) {
    stream.copyToDevice(scene.block, buffer, 0, SIZE);
  }

  private static void fill(SimStream stream, PinnedBuffer buffer) {
    stream.callHost("fill", () -> buffer.hostWrites(0, SIZE));
  }

  private static void put(PinnedBuffer buffer, int value) {
    buffer.getBytes(0, 1).put(0, (byte) value);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Scenario refilledBeforeFuture() {
    return Scenario.of(
            "19",
            "a staging buffer is refilled before the future that recycles it",
            filled(
                (scene, buffer) -> {
                  CompletableFuture<Void> done = new CompletableFuture<>();
                  upload(scene, scene.s1, buffer);
                  scene.s1.callHost("done", () -> done.complete(null));
                  put(buffer, 9);
                  done.join();
                }),
            HOST_RACE)
        .twin(
            "after it",
            filled(
                (scene, buffer) -> {
                  for (int round = 1; round <= 3; round++) {
                    CompletableFuture<Void> done = new CompletableFuture<>();
                    upload(scene, scene.s1, buffer);
                    scene.s1.callHost("done", () -> done.complete(null));
                    done.join();
                    put(buffer, round);
                  }
                }))
        .twin(
            "after the latch that two functions count down",
            filled(
                (scene, buffer) -> {
                  CountDownLatch done = new CountDownLatch(2);
                  long other = scene.device.getMemory().allocate(SIZE);
                  upload(scene, scene.s1, buffer);
                  scene.s2.copyToDevice(other, buffer, 0, SIZE);
                  scene.s1.callHost("done", done::countDown);
                  scene.s2.callHost("done too", done::countDown);
                  await(done);
                  put(buffer, 9);
                  scene.read(scene.s3, scene.block, SIZE);
                  scene.read(scene.s3, other, SIZE);
                }))
        .twin(
            "after a thread that waited for it has ended",
            filled(
                (scene, buffer) -> {
                  CompletableFuture<Void> done = new CompletableFuture<>();
                  upload(scene, scene.s1, buffer);
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

  private static Scenario otherFuture() {
    return Scenario.of(
            "20",
            "the future of another stream's function is waited for",
            scene -> {
              CompletableFuture<Void> done = new CompletableFuture<>();
              scene.write(scene.s1);
              scene.s1.callHost("not awaited", () -> {});
              scene.s2.callHost("done", () -> done.complete(null));
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

  private static Scenario functionOnTheWay() {
    return Scenario.of(
            "20",
            "a host function returns while the host waits for a stream that another one lets go",
            scene -> {
              SimGate gate = scene.backend.createGate("gate");
              scene.write(scene.s1);
              scene.s1.callHost("not awaited", () -> {});
              scene.s3.callHost("open", gate::open);
              scene.s2.waitFor(gate);
              scene.write(scene.s2, scene.block, 0);
              scene.s2.synchronize();
              scene.read(scene.s2);
            },
            RACE_RAW)
        .twin(
            "the one that opens the gate comes after the write",
            scene -> {
              SimGate gate = scene.backend.createGate("gate");
              scene.write(scene.s1);
              scene.s1.callHost("open", gate::open);
              scene.s2.waitFor(gate);
              scene.s2.synchronize();
              scene.read(scene.s2);
            });
  }

  private static Scenario gatedWrite() {
    return Scenario.of(
            "6",
            "a write beside the first of two, of which a gate holds the second",
            scene -> {
              SimGate gate = scene.backend.createGate("gate");
              scene.write(scene.s1);
              scene.s1.waitFor(gate);
              scene.write(scene.s1);
              scene.write(scene.s2);
              scene.s2.synchronize();
              gate.open();
              scene.device.synchronize();
            },
            RACE_WAW)
        .twin(
            "behind the first",
            scene -> {
              SimGate gate = scene.backend.createGate("gate");
              scene.write(scene.s1);
              scene.order(scene.s1, scene.s2);
              scene.s1.waitFor(gate);
              scene.write(scene.s1);
              scene.write(scene.s2);
              scene.s2.synchronize();
              gate.open();
              scene.device.synchronize();
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
              upload(scene, scene.s1, buffer);
              scene.read(scene.s1);
              scene.s1.synchronize();
            },
            UNINIT_READ)
        .twin(
            "and read by half",
            scene -> {
              PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(SIZE);
              buffer.hostWrites(0, SIZE / 2);
              upload(scene, scene.s1, buffer);
              scene.read(scene.s1, scene.block, SIZE / 2);
              scene.s1.synchronize();
            })
        .twin(
            "and whole",
            scene -> {
              PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(SIZE);
              buffer.hostWrites(0, SIZE / 2);
              buffer.hostWrites(SIZE / 2, SIZE / 2);
              upload(scene, scene.s1, buffer);
              scene.read(scene.s1);
              scene.s1.synchronize();
            });
  }
}
