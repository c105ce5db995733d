package org.vramkit.sim;

import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.DOUBLE_FREE;
import static org.vramkit.sim.hazard.HazardCode.EARLY_REUSE;
import static org.vramkit.sim.hazard.HazardCode.OUT_OF_BOUNDS;
import static org.vramkit.sim.hazard.HazardCode.OVERLAPPING_BLOCKS;
import static org.vramkit.sim.hazard.HazardCode.RECORD_AFTER_FREE;
import static org.vramkit.sim.hazard.HazardCode.USE_AFTER_FREE;
import static org.vramkit.sim.hazard.HazardCode.USE_BEFORE_ALLOC;

import java.util.List;

/** Blocks that a pool hands out again: scenarios 8 to 11, 15 and 17. */
final class PoolScenarios {
  private static final long HALF = SIZE / 2;

  private PoolScenarios() {}

  static List<Scenario> all() {
    return List.of(
        reuseUnderReader(),
        recordedTooLate(),
        recordedUseIgnored(),
        publishedTooEarly(),
        droppedDependency(),
        doubleFree(),
        twoOwners(),
        useAfterFree(),
        usedBeforeWhatTheAllocationWaitsFor(),
        closedUnderBackup(),
        slack(),
        neighbour());
  }

  /** A block of the first stream that the second reads, in order. */
  private static void readElsewhere(Scene scene) {
    scene.handOut(scene.block, SIZE, scene.s1);
    scene.write(scene.s1);
    scene.order(scene.s1, scene.s2);
    scene.read(scene.s2);
  }

  private static void reuse(Scene scene, SimStream by) {
    scene.handOut(scene.block, SIZE, by);
    scene.write(by);
  }

  /** A block of the second stream goes to the first, which waits for it. */
  private static void handOn(Scene scene) {
    scene.write(scene.s1, scene.block + HALF, HALF);
    scene.handOut(scene.block, HALF, scene.s2);
    scene.write(scene.s2, scene.block, HALF);
    scene.takeBack(scene.block, scene.s2);
    try (SimEvent early = scene.device.createEvent()) {
      early.record(scene.s1);
      scene.device.getMemoryObserver().enterPool();
      scene.order(scene.s2, scene.s1);
      scene.handOut(scene.block, HALF, scene.s1);
      scene.device.getMemoryObserver().leavePool();
      scene.s3.waitFor(early);
    }
  }

  /** A block of the first stream that its pool copies on the second, and its user closes then. */
  private static void closeUnderBackup(Scene scene) {
    scene.handOut(scene.block, SIZE, scene.s1);
    scene.write(scene.s1);
    scene.order(scene.s1, scene.s2);
    scene.device.getMemoryObserver().enterPool();
    scene.read(scene.s2);
    scene.device.getMemoryObserver().leavePool();
    scene.takeBack(scene.block, scene.s1);
  }

  private static Scenario closedUnderBackup() {
    return Scenario.of(
            "45.4",
            "a block that its pool copies, and hands out again before the copy is done",
            scene -> {
              closeUnderBackup(scene);
              reuse(scene, scene.s1);
            },
            EARLY_REUSE)
        .twin(
            "after the pool has waited for its copy",
            scene -> {
              closeUnderBackup(scene);
              scene.device.getMemoryObserver().enterPool();
              scene.s2.synchronize();
              scene.device.getMemoryObserver().leavePool();
              reuse(scene, scene.s1);
            });
  }

  private static Scenario usedBeforeWhatTheAllocationWaitsFor() {
    return Scenario.of(
            "8",
            "a block used by a stream that comes after all work of the allocating stream, and not"
                + " after its wait for the last owner's work",
            scene -> {
              handOn(scene);
              scene.write(scene.s3, scene.block, HALF);
            },
            USE_BEFORE_ALLOC)
        .twin(
            "after an event behind the allocation",
            scene -> {
              handOn(scene);
              scene.order(scene.s1, scene.s3);
              scene.write(scene.s3, scene.block, HALF);
            })
        .twin(
            "after the last owner's work, which the host has waited for",
            scene -> {
              handOn(scene);
              scene.s2.synchronize();
              scene.write(scene.s3, scene.block, HALF);
            });
  }

  private static Scenario reuseUnderReader() {
    return Scenario.of(
            "8",
            "a block reused while a stream that nobody recorded still reads it",
            scene -> {
              readElsewhere(scene);
              scene.takeBack(scene.block, scene.s1);
              reuse(scene, scene.s1);
            },
            EARLY_REUSE)
        .twin(
            "with an edge back from the reader before the free",
            scene -> {
              readElsewhere(scene);
              scene.order(scene.s2, scene.s1);
              scene.takeBack(scene.block, scene.s1);
              reuse(scene, scene.s1);
            })
        .twin(
            "with the reader synchronised by the host",
            scene -> {
              readElsewhere(scene);
              scene.s2.synchronize();
              scene.takeBack(scene.block, scene.s1);
              reuse(scene, scene.s1);
            })
        .twin(
            "used on its own stream alone and reused there at once",
            scene -> {
              reuse(scene, scene.s1);
              scene.takeBack(scene.block, scene.s1);
              reuse(scene, scene.s1);
            });
  }

  private static Scenario recordedTooLate() {
    return Scenario.of(
            "9",
            "a use recorded after the free",
            scene -> {
              reuse(scene, scene.s1);
              scene.takeBack(scene.block, scene.s1);
              scene.recordUse(scene.block, scene.s2);
            },
            RECORD_AFTER_FREE)
        .twin(
            "recorded before the free, and waited for by the pool",
            scene -> {
              readElsewhere(scene);
              scene.recordUse(scene.block, scene.s2);
              scene.takeBack(scene.block, scene.s1);
              scene.order(scene.s2, scene.s1);
              reuse(scene, scene.s1);
            })
        .twin(
            "recorded by two streams, and both waited for on the host",
            scene -> {
              readElsewhere(scene);
              scene.order(scene.s1, scene.s3);
              scene.read(scene.s3);
              scene.recordUse(scene.block, scene.s2);
              scene.recordUse(scene.block, scene.s3);
              scene.takeBack(scene.block, scene.s1);
              scene.s2.synchronize();
              scene.s3.synchronize();
              reuse(scene, scene.s1);
            });
  }

  private static Scenario recordedUseIgnored() {
    return Scenario.of(
            "9",
            "a recorded use that the pool ignores, even without an access",
            scene -> {
              long elsewhere = scene.device.getMemory().allocate(SIZE);
              scene.handOut(scene.block, SIZE, scene.s1);
              scene.write(scene.s2, elsewhere, SIZE);
              scene.recordUse(scene.block, scene.s2);
              scene.takeBack(scene.block, scene.s1);
              scene.handOut(scene.block, SIZE, scene.s1);
            },
            EARLY_REUSE)
        .twin(
            "of a stream without work",
            scene -> {
              scene.handOut(scene.block, SIZE, scene.s1);
              scene.recordUse(scene.block, scene.s2);
              scene.takeBack(scene.block, scene.s1);
              scene.order(scene.s2, scene.s1);
              scene.handOut(scene.block, SIZE, scene.s1);
            });
  }

  private static Scenario publishedTooEarly() {
    return Scenario.of(
            "10",
            "a block taken by another stream before its free is marked, long after the work",
            scene -> {
              try (SimEvent mark = scene.device.createEvent()) {
                mark.record(scene.s1);
                reuse(scene, scene.s1);
                scene.takeBack(scene.block, scene.s1);
                scene.backend.advance(100 * Scene.KERNEL_NANOS);
                scene.s2.waitFor(mark);
                scene.handOut(scene.block, SIZE, scene.s2);
              }
            },
            EARLY_REUSE)
        .twin(
            "marked after the free",
            scene -> {
              reuse(scene, scene.s1);
              scene.takeBack(scene.block, scene.s1);
              scene.order(scene.s1, scene.s2);
              reuse(scene, scene.s2);
            })
        .twin(
            "the stream was asked until it was idle",
            scene -> {
              reuse(scene, scene.s1);
              scene.takeBack(scene.block, scene.s1);
              scene.askUntilIdle(scene.s1);
              reuse(scene, scene.s2);
            });
  }

  /** Both halves of the block, used by one stream each and given back. */
  private static void donate(Scene scene) {
    scene.handOut(scene.block, HALF, scene.s1);
    scene.handOut(scene.block + HALF, HALF, scene.s2);
    scene.write(scene.s1, scene.block, HALF);
    scene.write(scene.s2, scene.block + HALF, HALF);
    scene.takeBack(scene.block, scene.s1);
    scene.takeBack(scene.block + HALF, scene.s2);
  }

  private static Scenario droppedDependency() {
    return Scenario.of(
            "11",
            "ranges of two streams merged, with the dependency on one dropped",
            scene -> {
              donate(scene);
              scene.order(scene.s1, scene.s3);
              reuse(scene, scene.s3);
            },
            EARLY_REUSE)
        .twin(
            "with both donors waited for",
            scene -> {
              donate(scene);
              scene.order(scene.s1, scene.s3);
              scene.order(scene.s2, scene.s3);
              reuse(scene, scene.s3);
            })
        .twin(
            "with one donor waiting for the other",
            scene -> {
              donate(scene);
              scene.order(scene.s1, scene.s2);
              reuse(scene, scene.s2);
            });
  }

  private static Scenario doubleFree() {
    return Scenario.of(
            "15",
            "a block given back twice",
            scene -> {
              scene.handOut(scene.block, SIZE, scene.s1);
              scene.takeBack(scene.block, scene.s1);
              scene.takeBack(scene.block, scene.s1);
            },
            DOUBLE_FREE)
        .twin(
            "given back once in each of two lives",
            scene -> {
              scene.handOut(scene.block, SIZE, scene.s1);
              scene.takeBack(scene.block, scene.s1);
              scene.handOut(scene.block, SIZE, scene.s1);
              scene.takeBack(scene.block, scene.s1);
            });
  }

  private static Scenario twoOwners() {
    return Scenario.of(
            "15",
            "a block handed out to two owners at once, on two streams",
            scene -> {
              scene.handOut(scene.block, SIZE, scene.s1);
              scene.handOut(scene.block + 512, 512, scene.s2);
            },
            OVERLAPPING_BLOCKS)
        .twin(
            "neighbours that touch",
            scene -> {
              scene.handOut(scene.block, 512, scene.s1);
              scene.handOut(scene.block + 512, 512, scene.s2);
            });
  }

  private static Scenario useAfterFree() {
    return Scenario.of(
            "15",
            "work on a block that its owner has given back, though the segment is still there",
            scene -> {
              scene.handOut(scene.block, SIZE, scene.s1);
              scene.takeBack(scene.block, scene.s1);
              scene.write(scene.s1);
            },
            USE_AFTER_FREE)
        .twin(
            "work submitted before the free that runs after it",
            scene -> {
              scene.handOut(scene.block, SIZE, scene.s1);
              scene.write(scene.s1);
              scene.takeBack(scene.block, scene.s1);
              scene.s1.synchronize();
            });
  }

  private static Scenario slack() {
    return Scenario.of(
            "17",
            "one byte past what was asked for, inside the rounded block",
            scene -> {
              scene.handOut(scene.block, 500, scene.s1);
              scene.write(scene.s1, scene.block, 501);
            },
            OUT_OF_BOUNDS)
        .twin(
            "exactly what was asked for",
            scene -> {
              scene.handOut(scene.block, 500, scene.s1);
              scene.write(scene.s1, scene.block, 500);
            });
  }

  private static Scenario neighbour() {
    return Scenario.of(
            "17",
            "past the block into its neighbour",
            scene -> {
              scene.handOut(scene.block, 512, scene.s1);
              scene.handOut(scene.block + 512, 512, scene.s1);
              scene.write(scene.s1, scene.block, 513);
            },
            OUT_OF_BOUNDS)
        .twin(
            "each up to its end",
            scene -> {
              scene.handOut(scene.block, 512, scene.s1);
              scene.handOut(scene.block + 512, 512, scene.s1);
              scene.write(scene.s1, scene.block, 512);
              scene.write(scene.s1, scene.block + 512, 512);
            });
  }
}
