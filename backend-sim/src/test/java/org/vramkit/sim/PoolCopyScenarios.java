package org.vramkit.sim;

import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.UNINIT_READ;

import java.util.List;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.PinnedBuffer;

/** Copies that a pool makes for itself, to a backup and back, and its waits for them. */
final class PoolCopyScenarios {
  private static final long REQUESTED = 1241;
  private static final long BEFORE = 2374;

  private PoolCopyScenarios() {}

  static List<Scenario> all() {
    return List.of(
        beyondTheBlock(), besideTheProgram(), copiedBackUnwritten(), waitedForByThePool());
  }

  private static void inPool(Scene scene, Runnable calls) {
    MemoryObserver pool = scene.device.getMemoryObserver();
    pool.inPool(
        () -> {
          calls.run();
          return true;
        });
  }

  /** Returns a buffer that stays open for the whole scene. */
  private static PinnedBuffer backup(Scene scene) {
    return scene.device.getPinnedMemory().allocate(SIZE);
  }

  /** A block that the second stream filled makes room for a smaller one of the third. */
  private static void replace(Scene scene) {
    scene.handOut(scene.block, BEFORE, scene.s1);
    scene.order(scene.s1, scene.s2);
    scene.write(scene.s2, scene.block, BEFORE);
    scene.recordUse(scene.block, scene.s2);
    scene.takeBack(scene.block, scene.s1);
    inPool(
        scene,
        () -> {
          scene.s2.synchronize();
          scene.handOut(scene.block, REQUESTED, scene.s3);
        });
    scene.write(scene.s3, scene.block, REQUESTED);
  }

  private static Scenario beyondTheBlock() {
    return Scenario.of(
            "10",
            "a block that its pool copies, with what lies behind it, before its work is done",
            scene -> {
              PinnedBuffer backup = backup(scene);
              replace(scene);
              inPool(scene, () -> scene.s1.copyToHost(backup, 0, scene.block, SIZE));
              scene.device.synchronize();
            },
            RACE_RAW)
        .twin(
            "after its work, while only the last owner's bytes behind it have a history",
            scene -> {
              PinnedBuffer backup = backup(scene);
              replace(scene);
              inPool(
                  scene,
                  () -> {
                    scene.order(scene.s3, scene.s1);
                    scene.s1.copyToHost(backup, 0, scene.block, SIZE);
                    scene.s1.synchronize();
                  });
            })
        .twin(
            "after the host of the program has waited for its work",
            scene -> {
              PinnedBuffer backup = backup(scene);
              replace(scene);
              scene.s3.synchronize();
              inPool(scene, () -> scene.s1.copyToHost(backup, 0, scene.block, SIZE));
              scene.device.synchronize();
            });
  }

  /** The pool copies the first stream's block to its backup on the third stream, and waits. */
  private static void copyOut(Scene scene, PinnedBuffer backup) {
    inPool(
        scene,
        () -> {
          scene.order(scene.s1, scene.s3);
          scene.s3.copyToHost(backup, 0, scene.block, SIZE);
          scene.s3.synchronize();
        });
  }

  private static Scenario besideTheProgram() {
    return Scenario.of(
            "11",
            "a program that relies on a pool's wait for its copies",
            scene -> {
              long other = scene.device.getMemory().allocate(SIZE);
              scene.handOut(scene.block, SIZE, scene.s1);
              scene.write(scene.s1, other, SIZE);
              scene.write(scene.s1);
              copyOut(scene, backup(scene));
              scene.read(scene.s2, other, SIZE);
            },
            RACE_RAW)
        .twin(
            "that waits itself",
            scene -> {
              long other = scene.device.getMemory().allocate(SIZE);
              scene.handOut(scene.block, SIZE, scene.s1);
              scene.write(scene.s1, other, SIZE);
              scene.write(scene.s1);
              copyOut(scene, backup(scene));
              scene.order(scene.s1, scene.s2);
              scene.read(scene.s2, other, SIZE);
            });
  }

  private static Scenario copiedBackUnwritten() {
    return Scenario.of(
            "12",
            "bytes that were never written, after a pool has copied them to a backup and back",
            scene -> {
              PinnedBuffer backup = backup(scene);
              scene.handOut(scene.block, SIZE, scene.s1);
              scene.write(scene.s1, scene.block, SIZE / 2);
              copyOut(scene, backup);
              inPool(scene, () -> scene.s1.copyToDevice(scene.block, backup, 0, SIZE));
              scene.read(scene.s1);
            },
            UNINIT_READ)
        .twin(
            "of which only the written ones are read",
            scene -> {
              PinnedBuffer backup = backup(scene);
              scene.handOut(scene.block, SIZE, scene.s1);
              scene.write(scene.s1, scene.block, SIZE / 2);
              copyOut(scene, backup);
              inPool(scene, () -> scene.s1.copyToDevice(scene.block, backup, 0, SIZE));
              scene.read(scene.s1, scene.block, SIZE / 2);
              scene.write(scene.s1, scene.block + SIZE / 2, SIZE / 2);
              scene.read(scene.s1);
            });
  }

  private static Scenario waitedForByThePool() {
    return Scenario.of(
            "11",
            "bytes that a pool copies back on another stream, without a wait",
            scene -> {
              PinnedBuffer backup = backup(scene);
              scene.handOut(scene.block, SIZE, scene.s1);
              scene.write(scene.s1);
              copyOut(scene, backup);
              inPool(scene, () -> scene.s3.copyToDevice(scene.block, backup, 0, SIZE));
              scene.read(scene.s1);
            },
            RACE_RAW)
        .twin(
            "once the pool has waited for its copy",
            scene -> {
              PinnedBuffer backup = backup(scene);
              scene.handOut(scene.block, SIZE, scene.s1);
              scene.write(scene.s1);
              copyOut(scene, backup);
              inPool(
                  scene,
                  () -> {
                    scene.s3.copyToDevice(scene.block, backup, 0, SIZE);
                    scene.s3.synchronize();
                  });
              scene.read(scene.s1);
              scene.order(scene.s1, scene.s2);
              scene.write(scene.s2);
            });
  }
}
