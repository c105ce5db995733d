package org.vramkit.sim;

import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAR;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAW;

import java.util.List;
import java.util.function.Consumer;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.StreamKind;

/** Small programs after samples of CUDA whose work is in the wrong order, on one device or two. */
final class StreamSampleScenarios {
  private static final long HALF = SIZE / 2;

  private StreamSampleScenarios() {}

  static List<Scenario> all() {
    return List.of(
        reusedEvent(),
        doubleBuffer(),
        forkJoin(),
        workspace(),
        pipeline(),
        reduction(),
        perThreadDefault(),
        graphUpdate(),
        halo(),
        pingPong());
  }

  private static Scenario reusedEvent() {
    return Scenario.of(
            "sample 1",
            "an event is recorded again before the wait that was meant for its first record",
            scene -> {
              try (SimEvent event = scene.device.createEvent()) {
                scene.write(scene.s1);
                event.record(scene.s1);
                event.record(scene.s3);
                scene.s2.waitFor(event);
                scene.read(scene.s2);
              }
            },
            RACE_RAW)
        .twin(
            "waited for before",
            scene -> {
              try (SimEvent event = scene.device.createEvent()) {
                scene.write(scene.s1);
                event.record(scene.s1);
                scene.s2.waitFor(event);
                event.record(scene.s3);
                scene.read(scene.s2);
              }
            });
  }

  private static Consumer<Scene> doubleBuffered(boolean released) {
    return scene -> {
      long[] buffers = {scene.block, scene.block + HALF};
      try (PinnedBuffer source = scene.device.getPinnedMemory().allocate(SIZE);
          SimEvent loaded = scene.device.createEvent();
          SimEvent first = scene.device.createEvent();
          SimEvent second = scene.device.createEvent()) {
        SimEvent[] used = {first, second};
        source.hostWrites(0, SIZE);
        for (int i = 0; i < 4; i++) {
          if (released && i >= 2) {
            scene.s1.waitFor(used[i % 2]);
          }
          scene.s1.copyToDevice(buffers[i % 2], source, 0, HALF);
          loaded.record(scene.s1);
          scene.s2.waitFor(loaded);
          scene.read(scene.s2, buffers[i % 2], HALF);
          used[i % 2].record(scene.s2);
        }
        scene.device.synchronize();
      }
    };
  }

  private static Scenario doubleBuffer() {
    return Scenario.of(
            "sample 2",
            "a double-buffered copy does not wait until its buffer was used",
            doubleBuffered(false),
            RACE_WAR)
        .twin("it does", doubleBuffered(true));
  }

  private static Consumer<Scene> forked(boolean joined) {
    return scene -> {
      scene.write(scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.order(scene.s1, scene.s3);
      scene.write(scene.s2, scene.block, HALF);
      scene.write(scene.s3, scene.block + HALF, HALF);
      scene.order(scene.s2, scene.s1);
      if (joined) {
        scene.order(scene.s3, scene.s1);
      }
      scene.read(scene.s1);
    };
  }

  private static Scenario forkJoin() {
    return Scenario.of("sample 3", "of two branches one is joined", forked(false), RACE_RAW)
        .twin("both are", forked(true));
  }

  private static Scenario workspace() {
    return Scenario.of(
            "sample 5",
            "two streams share the workspace of a library",
            scene -> {
              scene.write(scene.s1, scene.block, HALF);
              scene.write(scene.s2, scene.block, HALF);
            },
            RACE_WAW)
        .twin(
            "each has its own",
            scene -> {
              scene.write(scene.s1, scene.block, HALF);
              scene.write(scene.s2, scene.block + HALF, HALF);
            });
  }

  private static Consumer<Scene> piped(SimStreamOf last) {
    return scene -> {
      scene.write(scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.read(scene.s2, scene.block, HALF);
      scene.write(last.of(scene), scene.block, HALF);
    };
  }

  /** Picks a stream. */
  private interface SimStreamOf {
    SimStream of(Scene scene);
  }

  private static Scenario pipeline() {
    return Scenario.of(
            "sample 6",
            "the first stage begins its next round under the second",
            piped(scene -> scene.s1),
            RACE_WAR)
        .twin("in the stream of the second", piped(scene -> scene.s2));
  }

  private static Consumer<Scene> reduced(boolean atomic) {
    return scene -> {
      scene.s1.fill(scene.block, (byte) 0, 8);
      scene.order(scene.s1, scene.s2);
      for (SimStream stream : List.of(scene.s1, scene.s2)) {
        SimKernel.Builder kernel = SimKernel.named("sum");
        stream.launch(
            atomic
                ? kernel.atomics(scene.block, 8).build()
                : kernel.reads(scene.block, 8).writes(scene.block, 8).build());
      }
    };
  }

  private static Scenario reduction() {
    return Scenario.of(
            "sample 7", "two streams add to one sum without atomics", reduced(false), RACE_RAW)
        .twin("with them", reduced(true));
  }

  private static Consumer<Scene> withDefault(StreamKind kind) {
    return scene -> {
      try (SimStream stream = scene.device.createStream(kind)) {
        scene.write(stream);
        scene.read(scene.device.getDefaultStream());
        scene.device.synchronize();
      }
    };
  }

  private static Scenario perThreadDefault() {
    return Scenario.of(
            "sample 8",
            "a stream that does not block is taken for one that the default stream waits for",
            withDefault(StreamKind.NON_BLOCKING),
            RACE_RAW)
        .twin("one that blocks", withDefault(StreamKind.BLOCKING));
  }

  private static Consumer<Scene> updated(boolean waits) {
    return scene -> {
      scene.device.getGraphs().beginCapture(scene.s1);
      scene.read(scene.s1);
      try (Graph graph = scene.device.getGraphs().endCapture(scene.s1)) {
        for (int i = 0; i < 2; i++) {
          scene.write(scene.s3);
          scene.order(scene.s3, scene.s1);
          graph.launch(scene.s1);
          if (waits) {
            scene.order(scene.s1, scene.s3);
          }
        }
        scene.device.synchronize();
      }
    };
  }

  private static Scenario graphUpdate() {
    return Scenario.of(
            "sample 9",
            "the input of a graph is written anew under its launch",
            updated(false),
            RACE_WAR)
        .twin("behind it", updated(true));
  }

  private static Consumer<Scene> exchanged(boolean ordered) {
    return scene -> {
      scene.other.getPeerAccess().enable(scene.device);
      long far = scene.other.getMemory().allocate(SIZE);
      try (SimStream there = scene.other.createStream()) {
        scene.write(scene.s1);
        if (ordered) {
          scene.order(scene.s1, there);
        }
        there.copy(far, scene.block, SIZE);
        scene.read(there, far, SIZE);
        there.synchronize();
      }
      scene.other.getMemory().free(far);
    };
  }

  private static Scenario halo() {
    return Scenario.of(
            "sample 11", "a peer copies a halo that is still computed", exchanged(false), RACE_RAW)
        .twin("it waits", exchanged(true));
  }

  private static Consumer<Scene> pingPong(boolean back) {
    return scene -> {
      scene.write(scene.s1);
      for (int i = 0; i < 3; i++) {
        scene.order(scene.s1, scene.s2);
        scene.write(scene.s2);
        if (back) {
          scene.order(scene.s2, scene.s1);
        }
        scene.write(scene.s1);
      }
    };
  }

  private static Scenario pingPong() {
    return Scenario.of("sample 15", "a wait in one direction only", pingPong(false), RACE_WAW)
        .twin("in both", pingPong(true));
  }
}
