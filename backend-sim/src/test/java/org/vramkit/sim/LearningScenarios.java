package org.vramkit.sim;

import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.EARLY_REUSE;
import static org.vramkit.sim.hazard.HazardCode.FREE_IN_FLIGHT;
import static org.vramkit.sim.hazard.HazardCode.OUT_OF_BOUNDS;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.USE_AFTER_FREE;

import java.util.List;
import java.util.function.Consumer;
import org.vramkit.api.device.PinnedBuffer;

/** Who learns what: a program by its own questions and waits, a pool by those of its own. */
final class LearningScenarios {
  private LearningScenarios() {}

  static List<Scenario> all() {
    return List.of(
        fewQuestions(),
        ignoredAnswer(),
        waitOfPool(),
        eventOfPool(),
        freeAfterWaitOfPool(),
        closedBeforeWait(),
        copyNotRecorded(),
        copyAfterClose(),
        copyBeyondEnd());
  }

  private static void inPool(Scene scene, Runnable calls) {
    scene.device.getMemoryObserver().enterPool();
    try {
      calls.run();
    } finally {
      scene.device.getMemoryObserver().leavePool();
    }
  }

  private static Scenario fewQuestions() {
    return Scenario.of(
            "19.5",
            "three questions, and then going on",
            scene -> {
              scene.write(scene.s1);
              for (int i = 0; i < 3 && !scene.s1.isIdle(); i++) {
                Thread.onSpinWait();
              }
              scene.read(scene.s2);
            },
            RACE_RAW)
        .twin(
            "asked until it is done",
            scene -> {
              scene.write(scene.s1);
              scene.askUntilIdle(scene.s1);
              scene.read(scene.s2);
            })
        .twin(
            "going on only with a yes",
            scene -> {
              scene.write(scene.s1);
              if (scene.s1.isIdle()) {
                scene.read(scene.s2);
              }
            });
  }

  private static Scenario ignoredAnswer() {
    return Scenario.of(
            "19.5",
            "an answer that nobody looks at",
            scene -> {
              try (SimEvent event = scene.device.createEvent()) {
                scene.write(scene.s1);
                event.record(scene.s1);
                event.isComplete();
                scene.read(scene.s2);
              }
            },
            RACE_RAW)
        .twin(
            "a wait instead",
            scene -> {
              try (SimEvent event = scene.device.createEvent()) {
                scene.write(scene.s1);
                event.record(scene.s1);
                event.synchronize();
                scene.read(scene.s2);
              }
            });
  }

  private static Scenario waitOfPool() {
    return Scenario.of(
            "19.1",
            "a program that relies on a wait of a pool",
            scene -> {
              scene.write(scene.s1);
              inPool(scene, scene.s1::synchronize);
              scene.read(scene.s2);
            },
            RACE_RAW)
        .twin(
            "the pool itself relies on it",
            scene -> {
              scene.handOut(scene.block, SIZE, scene.s1);
              scene.write(scene.s1);
              scene.takeBack(scene.block, scene.s1);
              inPool(scene, scene.s1::synchronize);
              scene.handOut(scene.block, SIZE, scene.s2);
              scene.write(scene.s2);
            });
  }

  private static Scenario eventOfPool() {
    return Scenario.of(
            "19.1",
            "a program that relies on an event of a pool",
            scene -> {
              scene.write(scene.s1);
              inPool(scene, () -> scene.order(scene.s1, scene.s2));
              scene.read(scene.s2);
            },
            RACE_RAW)
        .twin(
            "the pool itself relies on it, over two streams",
            scene -> {
              scene.handOut(scene.block, SIZE, scene.s1);
              scene.write(scene.s1);
              scene.takeBack(scene.block, scene.s1);
              inPool(scene, () -> scene.order(scene.s1, scene.s2));
              // A part, so that what is left of the first owner lies beside it.
              scene.handOut(scene.block, SIZE / 2, scene.s2);
              scene.takeBack(scene.block, scene.s2);
              inPool(scene, () -> scene.order(scene.s2, scene.s3));
              scene.handOut(scene.block, SIZE, scene.s3);
              scene.write(scene.s3);
            });
  }

  private static Scenario freeAfterWaitOfPool() {
    return Scenario.of(
            "19.1",
            "memory that a program frees after a wait of a pool",
            scene -> {
              long memory = scene.device.getMemory().allocate(SIZE);
              scene.write(scene.s1, memory, SIZE);
              inPool(scene, scene.s1::synchronize);
              scene.device.getMemory().free(memory);
            },
            FREE_IN_FLIGHT)
        .twin(
            "the program waits too, for a stream that was closed and is over by then",
            scene -> {
              long memory = scene.device.getMemory().allocate(SIZE);
              SimStream brief = scene.device.createStream();
              scene.write(brief, memory, SIZE);
              brief.close();
              inPool(scene, scene.device::synchronize);
              scene.device.synchronize();
              scene.device.getMemory().free(memory);
            })
        .twin(
            "the pool itself frees it",
            scene -> {
              long memory = scene.device.getMemory().allocate(SIZE);
              scene.write(scene.s1, memory, SIZE);
              inPool(
                  scene,
                  () -> {
                    scene.s1.synchronize();
                    scene.device.getMemory().free(memory);
                  });
            });
  }

  private static void readElsewhere(Scene scene) {
    scene.handOut(scene.block, SIZE, scene.s1);
    scene.write(scene.s1);
    scene.order(scene.s1, scene.s2);
    scene.read(scene.s2);
  }

  private static Scenario closedBeforeWait() {
    return Scenario.of(
            "19.2",
            "a block closed under a use that nobody recorded, and a wait after it",
            scene -> {
              readElsewhere(scene);
              scene.takeBack(scene.block, scene.s1);
              scene.device.synchronize();
            },
            EARLY_REUSE)
        .twin(
            "the wait before it",
            scene -> {
              readElsewhere(scene);
              scene.device.synchronize();
              scene.takeBack(scene.block, scene.s1);
            })
        .twin(
            "the use recorded",
            scene -> {
              readElsewhere(scene);
              scene.recordUse(scene.block, scene.s2);
              scene.takeBack(scene.block, scene.s1);
            })
        .twin(
            "recorded for a stream that waits for the use",
            scene -> {
              readElsewhere(scene);
              scene.order(scene.s2, scene.s3);
              scene.recordUse(scene.block, scene.s3);
              scene.takeBack(scene.block, scene.s1);
            })
        .twin(
            "its stream waits for the use",
            scene -> {
              readElsewhere(scene);
              scene.order(scene.s2, scene.s1);
              scene.takeBack(scene.block, scene.s1);
            });
  }

  /** Copies to page-locked memory of a pool that was asked for half of its bytes. */
  private static void withPinned(Scene scene, Consumer<PinnedBuffer> program) {
    try (PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(2 * SIZE)) {
      scene.device.getMemoryObserver().allocatedOnHost(buffer.getAddress(), SIZE);
      scene.write(scene.s1);
      program.accept(buffer);
      scene.s1.synchronize();
    }
  }

  private static Scenario copyNotRecorded() {
    return Scenario.of(
            "19.3",
            "page-locked memory given back under a copy that nobody recorded",
            scene ->
                withPinned(
                    scene,
                    buffer -> {
                      scene.s1.copyToHost(buffer, 0, scene.block, SIZE);
                      scene.device.getMemoryObserver().freedOnHost(buffer.getAddress());
                    }),
            EARLY_REUSE)
        .twin(
            "the copy recorded",
            scene ->
                withPinned(
                    scene,
                    buffer -> {
                      scene.s1.copyToHost(buffer, 0, scene.block, SIZE);
                      scene.recordUse(buffer.getAddress(), scene.s1);
                      scene.device.getMemoryObserver().freedOnHost(buffer.getAddress());
                    }))
        .twin(
            "the copy waited for, and the memory handed out again",
            scene ->
                withPinned(
                    scene,
                    buffer -> {
                      scene.s1.copyToHost(buffer, 0, scene.block, SIZE);
                      scene.s1.synchronize();
                      scene.device.getMemoryObserver().freedOnHost(buffer.getAddress());
                      scene.device.getMemoryObserver().allocatedOnHost(buffer.getAddress(), SIZE);
                      scene.backend.hostWrites(buffer, 0, SIZE);
                    }));
  }

  private static Scenario copyAfterClose() {
    return Scenario.of(
        "19.3",
        "a copy to page-locked memory that was given back",
        scene ->
            withPinned(
                scene,
                buffer -> {
                  scene.device.getMemoryObserver().freedOnHost(buffer.getAddress());
                  scene.s1.copyToHost(buffer, 0, scene.block, SIZE);
                }),
        USE_AFTER_FREE);
  }

  private static Scenario copyBeyondEnd() {
    return Scenario.of(
        "19.3",
        "a copy beyond what was asked for of page-locked memory",
        scene ->
            withPinned(
                scene,
                buffer -> {
                  scene.s1.copyToHost(buffer, SIZE / 2, scene.block, SIZE);
                  scene.recordUse(buffer.getAddress(), scene.s1);
                  scene.device.getMemoryObserver().freedOnHost(buffer.getAddress());
                }),
        OUT_OF_BOUNDS);
  }
}
