package org.vramkit.sim;

import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.DOUBLE_FREE;
import static org.vramkit.sim.hazard.HazardCode.EARLY_REUSE;
import static org.vramkit.sim.hazard.HazardCode.OUT_OF_BOUNDS;
import static org.vramkit.sim.hazard.HazardCode.OVERLAPPING_BLOCKS;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAW;
import static org.vramkit.sim.hazard.HazardCode.RECORD_AFTER_FREE;
import static org.vramkit.sim.hazard.HazardCode.USE_AFTER_FREE;
import static org.vramkit.sim.hazard.HazardCode.USE_BEFORE_ALLOC;
import static org.vramkit.sim.hazard.LeakKind.ALLOCATION;
import static org.vramkit.sim.hazard.LeakKind.BLOCK;

import java.util.List;
import org.vramkit.api.device.MemoryObserver;

/** Pools that have their segments from other pools: a block belongs to the innermost of them. */
final class NestedPoolScenarios {
  private static final long QUARTER = SIZE / 4;

  private NestedPoolScenarios() {}

  static List<Scenario> all() {
    return List.of(
        twoOwnersWithin(),
        acrossSegments(),
        staleSegment(),
        outerHandedOutAgain(),
        notAfterSegment(),
        reuseWithin(),
        outerReused(),
        useAfterInnerFree(),
        useAfterOuterFree(),
        freedTwice(),
        recordedTooLate(),
        race(),
        slack(),
        leak());
  }

  private static MemoryObserver pools(Scene scene) {
    return scene.device.getMemoryObserver();
  }

  /** A block of the first stream, taken as a segment by another pool once the stream is idle. */
  private static void segment(Scene scene) {
    scene.handOut(scene.block, SIZE, scene.s1);
    scene.s1.synchronize();
    pools(scene).segmentTaken(scene.block, SIZE);
  }

  /** Gives it back as a pool does that is sure of its users' streams. */
  private static void giveBack(Scene scene) {
    List.of(scene.s1, scene.s2, scene.s3).forEach(SimStream::synchronize);
    pools(scene).segmentGivenBack(scene.block);
    scene.takeBack(scene.block, scene.s1);
  }

  private static Scenario twoOwnersWithin() {
    return Scenario.of(
            "17.12",
            "a pool over a pool hands out a block to two owners",
            scene -> {
              segment(scene);
              scene.handOut(scene.block, 2 * QUARTER, scene.s1);
              scene.handOut(scene.block + QUARTER, QUARTER, scene.s1);
            },
            OVERLAPPING_BLOCKS)
        .twin(
            "blocks side by side, from the segment's first byte to its last",
            scene -> {
              segment(scene);
              scene.handOut(scene.block, 2 * QUARTER, scene.s1);
              scene.handOut(scene.block + 2 * QUARTER, 2 * QUARTER, scene.s2);
              scene.takeBack(scene.block, scene.s1);
              scene.takeBack(scene.block + 2 * QUARTER, scene.s2);
              giveBack(scene);
            })
        .twin(
            "three pools, each over the next, all from the same byte on",
            scene -> {
              segment(scene);
              scene.handOut(scene.block, 2 * QUARTER, scene.s1);
              pools(scene).segmentTaken(scene.block, 2 * QUARTER);
              scene.handOut(scene.block, QUARTER, scene.s1);
              scene.write(scene.s1, scene.block, QUARTER);
              scene.takeBack(scene.block, scene.s1);
              pools(scene).segmentGivenBack(scene.block);
              scene.takeBack(scene.block, scene.s1);
              giveBack(scene);
            })
        .twin(
            "a segment of the driver's memory, told all the same",
            scene -> {
              pools(scene).segmentTaken(scene.block, SIZE);
              scene.handOut(scene.block, QUARTER, scene.s1);
              scene.takeBack(scene.block, scene.s1);
              pools(scene).segmentGivenBack(scene.block);
            });
  }

  private static Scenario acrossSegments() {
    return Scenario.of(
            "17.12",
            "a pool hands out more than the part of a block that it took",
            scene -> {
              scene.handOut(scene.block, SIZE, scene.s1);
              scene.s1.synchronize();
              pools(scene).segmentTaken(scene.block, QUARTER);
              scene.handOut(scene.block, 2 * QUARTER, scene.s1);
            },
            OVERLAPPING_BLOCKS)
        .twin(
            "two parts of one block, taken one after the other",
            scene -> {
              scene.handOut(scene.block, SIZE, scene.s1);
              scene.s1.synchronize();
              for (long part : new long[] {scene.block, scene.block + QUARTER}) {
                pools(scene).segmentTaken(part, QUARTER);
                scene.handOut(part, QUARTER, scene.s2);
              }
            });
  }

  private static Scenario staleSegment() {
    return Scenario.of(
            "17.12",
            "a pool hands out a block of a segment that it gave back, which has a new owner",
            scene -> {
              segment(scene);
              giveBack(scene);
              scene.handOut(scene.block, SIZE, scene.s1);
              scene.handOut(scene.block, QUARTER, scene.s1);
            },
            OVERLAPPING_BLOCKS)
        .twin(
            "it took the segment again",
            scene -> {
              segment(scene);
              giveBack(scene);
              segment(scene);
              scene.handOut(scene.block, QUARTER, scene.s1);
            });
  }

  private static Scenario outerHandedOutAgain() {
    return Scenario.of(
        "17.12",
        "the outer pool hands out again what the inner one still divides",
        scene -> {
          segment(scene);
          scene.handOut(scene.block + QUARTER, QUARTER, scene.s1);
          scene.handOut(scene.block, SIZE, scene.s1);
        },
        OVERLAPPING_BLOCKS);
  }

  private static Scenario notAfterSegment() {
    return Scenario.of(
            "17.12",
            "a block for another stream than that of its segment, which nobody waited for",
            scene -> {
              scene.handOut(scene.block, SIZE, scene.s1);
              pools(scene).segmentTaken(scene.block, SIZE);
              scene.handOut(scene.block, QUARTER, scene.s2);
              scene.write(scene.s2, scene.block, QUARTER);
            },
            USE_BEFORE_ALLOC)
        .twin(
            "for the segment's own stream",
            scene -> {
              scene.handOut(scene.block, SIZE, scene.s1);
              pools(scene).segmentTaken(scene.block, SIZE);
              scene.handOut(scene.block, QUARTER, scene.s1);
              scene.write(scene.s1, scene.block, QUARTER);
            })
        .twin(
            "for a stream that waits for the segment's",
            scene -> {
              scene.handOut(scene.block, SIZE, scene.s1);
              pools(scene).segmentTaken(scene.block, SIZE);
              scene.order(scene.s1, scene.s2);
              scene.handOut(scene.block, QUARTER, scene.s2);
              scene.write(scene.s2, scene.block, QUARTER);
            });
  }

  private static Scenario reuseWithin() {
    return Scenario.of(
            "17.12",
            "a block of a segment reused under a stream that nobody recorded",
            scene -> {
              segment(scene);
              scene.handOut(scene.block, QUARTER, scene.s1);
              scene.write(scene.s1, scene.block, QUARTER);
              scene.order(scene.s1, scene.s2);
              scene.read(scene.s2, scene.block, QUARTER);
              scene.takeBack(scene.block, scene.s1);
              scene.handOut(scene.block, QUARTER, scene.s1);
            },
            EARLY_REUSE)
        .twin(
            "recorded, and waited for by the inner pool",
            scene -> {
              segment(scene);
              scene.handOut(scene.block, QUARTER, scene.s1);
              scene.write(scene.s1, scene.block, QUARTER);
              scene.order(scene.s1, scene.s2);
              scene.read(scene.s2, scene.block, QUARTER);
              scene.recordUse(scene.block, scene.s2);
              scene.takeBack(scene.block, scene.s1);
              scene.order(scene.s2, scene.s1);
              scene.handOut(scene.block, QUARTER, scene.s1);
            });
  }

  private static Scenario outerReused() {
    return Scenario.of(
            "17.12",
            "the outer pool reuses a segment that went back under work on a block of it",
            scene -> {
              segment(scene);
              scene.handOut(scene.block, QUARTER, scene.s2);
              scene.write(scene.s2, scene.block, QUARTER);
              scene.takeBack(scene.block, scene.s2);
              pools(scene).segmentGivenBack(scene.block);
              scene.takeBack(scene.block, scene.s1);
              scene.handOut(scene.block, SIZE, scene.s1);
            },
            EARLY_REUSE)
        .twin(
            "the inner pool waited for the work",
            scene -> {
              segment(scene);
              scene.handOut(scene.block, QUARTER, scene.s2);
              scene.write(scene.s2, scene.block, QUARTER);
              scene.takeBack(scene.block, scene.s2);
              giveBack(scene);
              scene.handOut(scene.block, SIZE, scene.s1);
            });
  }

  private static Scenario useAfterInnerFree() {
    return Scenario.of(
            "17.12",
            "work on a block that went back to the inner pool, in a segment that it still has",
            scene -> {
              segment(scene);
              scene.handOut(scene.block, QUARTER, scene.s1);
              scene.takeBack(scene.block, scene.s1);
              scene.write(scene.s1, scene.block, QUARTER);
            },
            USE_AFTER_FREE)
        .twin(
            "work on a part of the segment that was never handed out, such as its source's fill",
            scene -> {
              segment(scene);
              scene.handOut(scene.block, QUARTER, scene.s1);
              scene.write(scene.s1, scene.block + QUARTER, QUARTER);
            });
  }

  private static Scenario useAfterOuterFree() {
    return Scenario.of(
            "17.12",
            "work on a live block whose segment was given back beneath it",
            scene -> {
              segment(scene);
              scene.handOut(scene.block + QUARTER, QUARTER, scene.s2);
              scene.takeBack(scene.block, scene.s1);
              scene.write(scene.s2, scene.block + QUARTER, QUARTER);
            },
            USE_AFTER_FREE)
        .twin(
            "the same segment, told apart from the block at its first byte by the stream",
            scene -> {
              segment(scene);
              scene.handOut(scene.block, QUARTER, scene.s2);
              scene.write(scene.s2, scene.block, QUARTER);
              scene.takeBack(scene.block, scene.s2);
              giveBack(scene);
            });
  }

  private static Scenario freedTwice() {
    return Scenario.of(
            "17.12",
            "a block of a segment given back twice",
            scene -> {
              segment(scene);
              scene.handOut(scene.block, QUARTER, scene.s2);
              scene.takeBack(scene.block, scene.s2);
              scene.takeBack(scene.block, scene.s2);
            },
            DOUBLE_FREE)
        .twin(
            "a block given back, and then its segment, which begins at the same byte",
            scene -> {
              segment(scene);
              scene.handOut(scene.block, QUARTER, scene.s2);
              scene.takeBack(scene.block, scene.s2);
              giveBack(scene);
            });
  }

  private static Scenario recordedTooLate() {
    return Scenario.of(
        "17.12",
        "a use of a block of a segment, recorded after it was given back",
        scene -> {
          segment(scene);
          scene.handOut(scene.block, QUARTER, scene.s1);
          scene.takeBack(scene.block, scene.s1);
          scene.recordUse(scene.block, scene.s2);
        },
        RECORD_AFTER_FREE);
  }

  private static Scenario race() {
    return Scenario.of(
            "17.12",
            "two streams write a block of a segment",
            scene -> {
              segment(scene);
              scene.handOut(scene.block, QUARTER, scene.s1);
              scene.s1.synchronize();
              scene.write(scene.s1, scene.block, QUARTER);
              scene.write(scene.s2, scene.block, QUARTER);
            },
            RACE_WAW)
        .twin(
            "two streams write a block each of one segment",
            scene -> {
              segment(scene);
              scene.handOut(scene.block, QUARTER, scene.s1);
              scene.handOut(scene.block + QUARTER, QUARTER, scene.s2);
              scene.write(scene.s1, scene.block, QUARTER);
              scene.write(scene.s2, scene.block + QUARTER, QUARTER);
            });
  }

  private static Scenario slack() {
    return Scenario.of(
        "17.12",
        "a byte past a block of a segment, in bytes that are the outer pool's user's",
        scene -> {
          segment(scene);
          scene.handOut(scene.block, 500, scene.s1);
          scene.write(scene.s1, scene.block, 501);
        },
        OUT_OF_BOUNDS);
  }

  private static Scenario leak() {
    return Scenario.leaving(
            "17.12",
            "a block of a segment, the segment, and the memory beneath it",
            scene -> {
              SimStream stream = scene.device.getDefaultStream();
              long memory = scene.device.getMemory().allocate(SIZE);
              scene.handOut(memory, SIZE, stream);
              pools(scene).segmentTaken(memory, SIZE);
              scene.handOut(memory, QUARTER, stream);
            },
            ALLOCATION,
            BLOCK,
            BLOCK)
        .twinLeavingNothing(
            "all given back",
            scene -> {
              SimStream stream = scene.device.getDefaultStream();
              long memory = scene.device.getMemory().allocate(SIZE);
              scene.handOut(memory, SIZE, stream);
              pools(scene).segmentTaken(memory, SIZE);
              scene.handOut(memory, QUARTER, stream);
              scene.takeBack(memory, stream);
              pools(scene).segmentGivenBack(memory);
              scene.takeBack(memory, stream);
              stream.synchronize();
              scene.device.getMemory().free(memory);
            });
  }
}
