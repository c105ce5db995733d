package org.vramkit.sim;

import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.FREE_RACE;
import static org.vramkit.sim.hazard.HazardCode.HOST_RACE;
import static org.vramkit.sim.hazard.HazardCode.HOST_READ_RACE;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAR;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAW;
import static org.vramkit.sim.hazard.HazardCode.UNINIT_READ;
import static org.vramkit.sim.hazard.HazardCode.USE_BEFORE_ALLOC;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.StreamOrderedMemory;

/** Small programs that hand over: between threads, graphs, pools and stages of a pipeline. */
final class HandOverSampleScenarios {
  private static final long HALF = SIZE / 2;

  private HandOverSampleScenarios() {}

  static List<Scenario> all() {
    return List.of(
        Scenario.of(
                "sample 17",
                "a thread's stream takes what another's makes",
                handed(false),
                RACE_RAW)
            .twin("with its event", handed(true)),
        Scenario.of(
                "sample 18", "two graphs of the same work on two streams", twice(false), RACE_WAW)
            .twin("one graph: it does not run beside itself", twice(true)),
        Scenario.of(
                "sample 19", "a stream of a capture is taken for ordered", branch(false), RACE_RAW)
            .twin("it waits for the launch", branch(true)),
        Scenario.of(
                "sample 20", "memory of a stream is used on another", born(false), USE_BEFORE_ALLOC)
            .twin("behind its allocation", born(true)),
        Scenario.of("sample 21", "memory is freed beside its use", died(false), FREE_RACE)
            .twin("behind it", died(true)),
        Scenario.of("sample 22", "unset bytes are copied on", copied(HALF), UNINIT_READ)
            .twin("all are set", copied(SIZE)),
        Scenario.of("sample 23", "an event is recorded before the work", early(true), RACE_RAW)
            .twin("behind it", early(false)),
        Scenario.of("sample 24", "the host waits for another stream", waited(false), HOST_READ_RACE)
            .twin("for the right one", waited(true)),
        Scenario.of("sample 25", "a staging ring is filled anew too early", ring(false), HOST_RACE)
            .twin("behind the event of its slot", ring(true))
            .twin(
                "a host function fills it, and the copy waits for that",
                HandOverSampleScenarios::filled),
        Scenario.of("sample 26", "a graph's memory is used beside it", beside(false), RACE_WAR)
            .twin("behind it", beside(true)),
        Scenario.of(
                "sample 27",
                "a loader begins before its pool's reader ends",
                shared(false),
                RACE_WAR)
            .twin("its stream waits", shared(true)),
        Scenario.of(
                "sample 28",
                "the second of two stages waits for the first alone",
                three(false),
                RACE_RAW)
            .twin("for what comes before by the first", three(true)),
        Scenario.of("sample 29", "a gradient is sent before its last part", bucket(false), RACE_RAW)
            .twin("behind all parts", bucket(true)),
        Scenario.of(
                "sample 30", "parameters are updated under the next step", step(false), RACE_WAR)
            .twin("behind it", step(true)));
  }

  private static void onThread(Runnable work) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              work.run();
              done.complete(null);
            });
    thread.start();
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    done.join();
  }

  private static Consumer<Scene> handed(boolean ordered) {
    return scene -> {
      try (SimEvent event = scene.device.createEvent()) {
        onThread(
            () -> {
              scene.write(scene.s1);
              event.record(scene.s1);
            });
        onThread(
            () -> {
              if (ordered) {
                scene.s2.waitFor(event);
              }
              scene.read(scene.s2);
            });
      }
    };
  }

  private static Graph writer(Scene scene) {
    scene.device.getGraphs().beginCapture(scene.s1);
    scene.write(scene.s1);
    return scene.device.getGraphs().endCapture(scene.s1);
  }

  private static Consumer<Scene> twice(boolean same) {
    return scene -> {
      try (Graph first = writer(scene);
          Graph second = writer(scene)) {
        first.launch(scene.s1);
        (same ? first : second).launch(scene.s2);
        scene.device.synchronize();
      }
    };
  }

  private static Consumer<Scene> branch(boolean ordered) {
    return scene -> {
      scene.device.getGraphs().beginCapture(scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.write(scene.s2);
      scene.order(scene.s2, scene.s1);
      try (Graph graph = scene.device.getGraphs().endCapture(scene.s1)) {
        graph.launch(scene.s1);
        if (ordered) {
          scene.order(scene.s1, scene.s2);
        }
        scene.read(scene.s2);
        scene.device.synchronize();
      }
    };
  }

  private static Consumer<Scene> born(boolean ordered) {
    return scene -> {
      StreamOrderedMemory pool = scene.device.getStreamOrderedMemory();
      long memory = pool.allocate(SIZE, scene.s1);
      if (ordered) {
        scene.order(scene.s1, scene.s2);
      }
      scene.write(scene.s2, memory, SIZE);
      scene.order(scene.s2, scene.s1);
      pool.free(memory, scene.s1);
    };
  }

  private static Consumer<Scene> died(boolean ordered) {
    return scene -> {
      StreamOrderedMemory pool = scene.device.getStreamOrderedMemory();
      long memory = pool.allocate(SIZE, scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.write(scene.s2, memory, SIZE);
      if (ordered) {
        scene.order(scene.s2, scene.s1);
      }
      pool.free(memory, scene.s1);
    };
  }

  private static Consumer<Scene> copied(long set) {
    return scene -> {
      StreamOrderedMemory pool = scene.device.getStreamOrderedMemory();
      long memory = pool.allocate(SIZE, scene.s1);
      scene.s1.fill(scene.block, (byte) 0, set);
      scene.s1.copy(memory, scene.block, SIZE);
      scene.read(scene.s1, memory, SIZE);
      pool.free(memory, scene.s1);
    };
  }

  private static Consumer<Scene> early(boolean before) {
    return scene -> {
      try (SimEvent event = scene.device.createEvent()) {
        if (before) {
          event.record(scene.s1);
        }
        scene.write(scene.s1);
        if (!before) {
          event.record(scene.s1);
        }
        scene.s2.waitFor(event);
        scene.read(scene.s2);
      }
    };
  }

  private static Consumer<Scene> waited(boolean right) {
    return scene -> {
      try (PinnedBuffer result = scene.device.getPinnedMemory().allocate(SIZE)) {
        scene.write(scene.s1);
        scene.s1.copyToHost(result, 0, scene.block, SIZE);
        scene.write(scene.s2, scene.block, 0);
        (right ? scene.s1 : scene.s2).synchronize();
        result.hostReads(0, SIZE);
        scene.device.synchronize();
      }
    };
  }

  private static Consumer<Scene> ring(boolean waits) {
    return scene -> {
      try (PinnedBuffer slots = scene.device.getPinnedMemory().allocate(SIZE);
          SimEvent first = scene.device.createEvent();
          SimEvent second = scene.device.createEvent()) {
        SimEvent[] sent = {first, second};
        for (int round = 0; round < 3; round++) {
          int slot = round % 2;
          if (waits && round >= 2) {
            sent[slot].synchronize();
          }
          onThread(() -> slots.hostWrites(slot * HALF, HALF));
          scene.s1.copyToDevice(scene.block + slot * HALF, slots, slot * HALF, HALF);
          sent[slot].record(scene.s1);
        }
        scene.s1.synchronize();
      }
    };
  }

  private static Consumer<Scene> beside(boolean ordered) {
    return scene -> {
      scene.write(scene.s1);
      scene.device.getGraphs().beginCapture(scene.s1);
      scene.read(scene.s1);
      try (Graph graph = scene.device.getGraphs().endCapture(scene.s1)) {
        scene.order(scene.s1, scene.s2);
        graph.launch(scene.s1);
        if (ordered) {
          scene.order(scene.s1, scene.s2);
        }
        scene.write(scene.s2);
        scene.device.synchronize();
      }
    };
  }

  private static Consumer<Scene> shared(boolean ordered) {
    return scene -> {
      scene.handOut(scene.block, SIZE, scene.s1);
      onThread(() -> scene.write(scene.s1));
      scene.order(scene.s1, scene.s2);
      scene.read(scene.s2);
      if (ordered) {
        scene.order(scene.s2, scene.s1);
      }
      onThread(() -> scene.write(scene.s1));
      scene.recordUse(scene.block, scene.s2);
      scene.takeBack(scene.block, scene.s1);
    };
  }

  private static Consumer<Scene> three(boolean through) {
    return scene -> {
      scene.write(scene.s1, scene.block, HALF);
      if (through) {
        scene.order(scene.s1, scene.s2);
      }
      scene.write(scene.s2, scene.block + HALF, HALF);
      scene.order(scene.s2, scene.s3);
      scene.read(scene.s3);
    };
  }

  private static void filled(Scene scene) {
    try (PinnedBuffer staging = scene.device.getPinnedMemory().allocate(SIZE)) {
      scene.s2.callHost("load", () -> staging.hostWrites(0, SIZE));
      scene.order(scene.s2, scene.s1);
      scene.s1.copyToDevice(scene.block, staging, 0, SIZE);
      scene.device.synchronize();
    }
  }

  private static Consumer<Scene> bucket(boolean all) {
    return scene -> {
      try (SimEvent ready = scene.device.createEvent()) {
        scene.write(scene.s1, scene.block, HALF);
        ready.record(scene.s1);
        scene.write(scene.s1, scene.block + HALF, HALF);
        if (all) {
          ready.record(scene.s1);
        }
        scene.s2.waitFor(ready);
        scene.read(scene.s2);
      }
    };
  }

  private static Consumer<Scene> step(boolean ordered) {
    return scene -> {
      scene.write(scene.s1);
      for (int i = 0; i < 2; i++) {
        scene.order(scene.s1, scene.s2);
        scene.read(scene.s2);
        if (ordered) {
          scene.order(scene.s2, scene.s1);
        }
        scene.s1.launch(
            SimKernel.named("update").reads(scene.block, SIZE).writes(scene.block, SIZE).build());
      }
    };
  }
}
