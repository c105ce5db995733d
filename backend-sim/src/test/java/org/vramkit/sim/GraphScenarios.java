package org.vramkit.sim;

import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.EARLY_REUSE;
import static org.vramkit.sim.hazard.HazardCode.HOST_RACE;
import static org.vramkit.sim.hazard.HazardCode.OUT_OF_BOUNDS;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;
import static org.vramkit.sim.hazard.HazardCode.RACE_WAW;
import static org.vramkit.sim.hazard.HazardCode.UNINIT_READ;
import static org.vramkit.sim.hazard.HazardCode.USE_AFTER_FREE;

import java.util.List;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.sim.hazard.LeakKind;

/** Captured work: order in a graph, between its launches, and against what is around them. */
final class GraphScenarios {
  private GraphScenarios() {}

  static List<Scenario> all() {
    return List.of(
        forkTooEarly(),
        aroundLaunches(),
        twoGraphs(),
        nobodyWaits(),
        freedMemory(),
        closedBlock(),
        blockReused(),
        unwritten(),
        tooFar(),
        pinned(),
        leftOpen());
  }

  /** Captures on the first stream of a scene. */
  static Graph capture(Scene scene, Runnable work) {
    scene.device.getGraphs().beginCapture(scene.s1);
    work.run();
    return scene.device.getGraphs().endCapture(scene.s1);
  }

  /** A write on the first stream and a read on the second, joined at the end. */
  private static void writeAndRead(Scene scene, boolean forkFirst) {
    if (forkFirst) {
      scene.order(scene.s1, scene.s2);
    }
    scene.write(scene.s1);
    if (!forkFirst) {
      scene.order(scene.s1, scene.s2);
    }
    scene.read(scene.s2);
    scene.order(scene.s2, scene.s1);
  }

  private static void launchTwice(Graph graph, SimStream first, SimStream second) {
    graph.launch(first);
    graph.launch(second);
    graph.close();
  }

  private static Scenario forkTooEarly() {
    return Scenario.of(
            "G1",
            "a stream forked into a capture before the write that it reads",
            scene ->
                launchTwice(capture(scene, () -> writeAndRead(scene, true)), scene.s1, scene.s1),
            RACE_RAW)
        .twin(
            "forked after the write",
            scene ->
                launchTwice(capture(scene, () -> writeAndRead(scene, false)), scene.s1, scene.s1))
        .twin(
            "the same launched on two streams, because launches of one graph are in order",
            scene ->
                launchTwice(capture(scene, () -> writeAndRead(scene, false)), scene.s2, scene.s3));
  }

  private static Scenario aroundLaunches() {
    return Scenario.of(
            "G2",
            "another stream writes between two launches without order",
            scene -> {
              Graph graph = capture(scene, () -> writeAndRead(scene, false));
              graph.launch(scene.s1);
              scene.write(scene.s3);
              graph.launch(scene.s1);
              graph.close();
            },
            RACE_WAW,
            RACE_WAW)
        .twin(
            "waits before and after",
            scene -> {
              Graph graph = capture(scene, () -> writeAndRead(scene, false));
              graph.launch(scene.s1);
              scene.order(scene.s1, scene.s3);
              scene.write(scene.s3);
              scene.order(scene.s3, scene.s1);
              graph.launch(scene.s1);
              graph.close();
            })
        .twin(
            "the stream of the capture does other work while the graph runs elsewhere, in order",
            scene -> {
              Graph graph = capture(scene, () -> scene.write(scene.s1));
              scene.write(scene.s1);
              scene.order(scene.s1, scene.s2);
              graph.launch(scene.s2);
              scene.order(scene.s2, scene.s1);
              scene.read(scene.s1);
              graph.close();
            });
  }

  private static Scenario twoGraphs() {
    return Scenario.of(
            "G3",
            "two graphs over the same memory on two streams",
            scene -> {
              Graph one = capture(scene, () -> scene.write(scene.s1));
              Graph other = capture(scene, () -> scene.write(scene.s1));
              one.launch(scene.s1);
              other.launch(scene.s2);
              one.close();
              other.close();
            },
            RACE_WAW)
        .twin(
            "on one stream",
            scene -> {
              Graph one = capture(scene, () -> scene.write(scene.s1));
              Graph other = capture(scene, () -> scene.write(scene.s1));
              one.launch(scene.s2);
              other.launch(scene.s2);
              one.close();
              other.close();
            });
  }

  private static Scenario nobodyWaits() {
    return Scenario.of(
            "G4",
            "the stream of the capture reads what a launch on another one writes",
            scene -> {
              Graph graph = capture(scene, () -> scene.write(scene.s1));
              graph.launch(scene.s2);
              scene.read(scene.s1);
              graph.close();
            },
            RACE_RAW)
        .twin(
            "the host waits for the launch in between",
            scene -> {
              Graph graph = capture(scene, () -> scene.write(scene.s1));
              graph.launch(scene.s2);
              scene.s2.synchronize();
              scene.read(scene.s1);
              graph.close();
            });
  }

  private static Scenario freedMemory() {
    return Scenario.of(
            "G5",
            "memory freed while a graph refers to it, which is launched then",
            scene -> {
              long memory = scene.device.getMemory().allocate(SIZE);
              Graph graph = capture(scene, () -> scene.write(scene.s1, memory, SIZE));
              graph.launch(scene.s1);
              scene.s1.synchronize();
              scene.device.getMemory().free(memory);
              graph.launch(scene.s1);
              graph.close();
            },
            USE_AFTER_FREE)
        .twin(
            "freed after the last launch",
            scene -> {
              long memory = scene.device.getMemory().allocate(SIZE);
              Graph graph = capture(scene, () -> scene.write(scene.s1, memory, SIZE));
              launchTwice(graph, scene.s1, scene.s2);
              scene.s2.synchronize();
              scene.device.getMemory().free(memory);
            });
  }

  private static Scenario closedBlock() {
    return Scenario.of(
            "G6",
            "a block from before the capture is closed before a launch",
            scene -> {
              scene.handOut(scene.block, SIZE, scene.s1);
              Graph graph = capture(scene, () -> scene.write(scene.s1));
              scene.takeBack(scene.block, scene.s1);
              graph.launch(scene.s1);
              graph.close();
            },
            USE_AFTER_FREE)
        .twin(
            "a block that was handed out in the capture is there for all launches",
            scene -> {
              Graph graph =
                  capture(
                      scene,
                      () -> {
                        scene.handOut(scene.block, SIZE, scene.s1);
                        scene.write(scene.s1);
                      });
              scene.takeBack(scene.block, scene.s1);
              launchTwice(graph, scene.s2, scene.s3);
            });
  }

  /** One block after another in the same memory, the first of them used on two streams. */
  private static Graph reusing(Scene scene, boolean joined) {
    return capture(
        scene,
        () -> {
          scene.handOut(scene.block, SIZE, scene.s1);
          scene.write(scene.s1);
          scene.order(scene.s1, scene.s2);
          scene.read(scene.s2);
          if (joined) {
            scene.order(scene.s2, scene.s1);
          }
          scene.takeBack(scene.block, scene.s1);
          scene.handOut(scene.block, SIZE, scene.s1);
          scene.write(scene.s1);
          scene.takeBack(scene.block, scene.s1);
          scene.order(scene.s2, scene.s1);
        });
  }

  private static Scenario blockReused() {
    return Scenario.of(
            "G7",
            "a block is reused in a graph while another branch may use it",
            scene -> launchTwice(reusing(scene, false), scene.s1, scene.s2),
            EARLY_REUSE,
            EARLY_REUSE)
        .twin(
            "joined before it is given back",
            scene -> launchTwice(reusing(scene, true), scene.s1, scene.s2));
  }

  private static Scenario unwritten() {
    return Scenario.of(
            "G8",
            "work reads a block of its graph that nobody wrote in this launch",
            scene ->
                launchTwice(
                    capture(
                        scene,
                        () -> {
                          scene.handOut(scene.block, SIZE, scene.s1);
                          scene.read(scene.s1);
                          scene.takeBack(scene.block, scene.s1);
                        }),
                    scene.s1,
                    scene.s1),
            UNINIT_READ,
            UNINIT_READ)
        .twin(
            "what lives longer than the capture may be written by anybody",
            scene -> {
              Graph graph =
                  capture(
                      scene,
                      () -> {
                        scene.handOut(scene.block, SIZE, scene.s1);
                        scene.read(scene.s1);
                      });
              scene.write(scene.s1);
              launchTwice(graph, scene.s1, scene.s1);
            });
  }

  private static Scenario tooFar() {
    return Scenario.of(
            "G9",
            "captured work touches bytes beyond its memory, told once",
            scene ->
                launchTwice(
                    capture(scene, () -> scene.write(scene.s1, scene.block, SIZE + 1)),
                    scene.s1,
                    scene.s1),
            OUT_OF_BOUNDS)
        .twin(
            "a capture runs nothing",
            scene -> {
              Graph graph = capture(scene, () -> scene.write(scene.s1));
              scene.write(scene.s2);
              graph.close();
            });
  }

  private static Scenario pinned() {
    return Scenario.of(
            "G10",
            "the host writes page-locked bytes while a launch may still read them",
            scene -> {
              PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(SIZE);
              scene.backend.hostWrites(buffer, 0, SIZE);
              Graph graph =
                  capture(scene, () -> scene.s1.copyToDevice(scene.block, buffer, 0, SIZE));
              graph.launch(scene.s1);
              scene.backend.hostWrites(buffer, 0, SIZE);
              graph.launch(scene.s1);
              graph.close();
            },
            HOST_RACE)
        .twin(
            "waits for each launch",
            scene -> {
              PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(SIZE);
              scene.backend.hostWrites(buffer, 0, SIZE);
              Graph graph =
                  capture(scene, () -> scene.s1.copyToDevice(scene.block, buffer, 0, SIZE));
              graph.launch(scene.s1);
              scene.s1.synchronize();
              scene.backend.hostWrites(buffer, 0, SIZE);
              graph.launch(scene.s1);
              graph.close();
            });
  }

  private static Scenario leftOpen() {
    return Scenario.leaving(
            "G11",
            "a graph that nobody closes",
            scene -> {
              SimStream stream = scene.device.createStream();
              scene.device.getGraphs().beginCapture(stream);
              scene.device.getGraphs().endCapture(stream);
              stream.close();
            },
            LeakKind.GRAPH)
        .twinLeavingNothing(
            "closed",
            scene -> {
              SimStream stream = scene.device.createStream();
              scene.device.getGraphs().beginCapture(stream);
              scene.device.getGraphs().endCapture(stream).close();
              stream.close();
            });
  }
}
