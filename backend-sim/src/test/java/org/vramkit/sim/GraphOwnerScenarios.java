package org.vramkit.sim;

import static org.vramkit.sim.GraphScenarios.capture;
import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.EARLY_REUSE;
import static org.vramkit.sim.hazard.HazardCode.USE_AFTER_FREE;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.PinnedBuffer;

/** Graphs whose memory has another owner, or none, when they are launched. */
final class GraphOwnerScenarios {
  private GraphOwnerScenarios() {}

  static List<Scenario> all() {
    return List.of(
        closed(
            "G12",
            "copies from a page-locked buffer",
            GraphOwnerScenarios::pinned,
            GraphOwnerScenarios::copyFrom),
        closed(
            "G13",
            "copies to a page-locked buffer",
            GraphOwnerScenarios::pinned,
            GraphOwnerScenarios::copyTo),
        closed(
            "G14",
            "reads managed memory",
            GraphOwnerScenarios::managed,
            GraphOwnerScenarios::readByAddress),
        closed(
            "G15",
            "reads a page-locked buffer",
            GraphOwnerScenarios::pinned,
            GraphOwnerScenarios::readByAddress),
        hostBlockTakenBack(),
        hostBlockHandedOn(),
        blockHandedOn());
  }

  private static void copyFrom(Scene scene, PinnedBuffer buffer) {
    scene.s1.copyToDevice(scene.block, buffer, 0, SIZE);
  }

  private static void copyTo(Scene scene, PinnedBuffer buffer) {
    scene.s1.copyToHost(buffer, 0, scene.block, SIZE);
  }

  private static void readByAddress(Scene scene, PinnedBuffer buffer) {
    scene.read(scene.s1, buffer.getAddress(), SIZE);
  }

  private static PinnedBuffer pinned(Scene scene) {
    PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(SIZE);
    scene.backend.hostWrites(buffer, 0, SIZE);
    scene.write(scene.s1);
    return buffer;
  }

  private static PinnedBuffer managed(Scene scene) {
    PinnedBuffer buffer = scene.device.getManagedMemory().allocate(SIZE);
    scene.backend.hostWrites(buffer, 0, SIZE);
    return buffer;
  }

  /** Launched, waited for, and launched again after or before the close of the buffer. */
  private static void launchAroundClose(
      Scene scene, PinnedBuffer buffer, BiConsumer<Scene, PinnedBuffer> work, boolean early) {
    Graph graph = capture(scene, () -> work.accept(scene, buffer));
    graph.launch(scene.s1);
    scene.s1.synchronize();
    if (early) {
      buffer.close();
    }
    graph.launch(scene.s2);
    scene.s2.synchronize();
    buffer.close();
    graph.close();
  }

  private static Scenario closed(
      String number,
      String title,
      Function<Scene, PinnedBuffer> memory,
      BiConsumer<Scene, PinnedBuffer> work) {
    return Scenario.of(
            number,
            "a graph " + title + " that was closed between two launches",
            scene -> launchAroundClose(scene, memory.apply(scene), work, true),
            USE_AFTER_FREE)
        .twin(
            "closed after the last launch",
            scene -> launchAroundClose(scene, memory.apply(scene), work, false));
  }

  private static void handOutOnHost(Scene scene, PinnedBuffer buffer) {
    scene.device.getMemoryObserver().allocatedOnHost(buffer.getAddress(), SIZE);
  }

  private static void takeBackOnHost(Scene scene, PinnedBuffer buffer) {
    scene.device.getMemoryObserver().freedOnHost(buffer.getAddress());
  }

  private static Scenario hostBlockTakenBack() {
    return Scenario.of(
            "G16",
            "page-locked memory of a pool from before the capture is given back before a launch",
            scene -> {
              PinnedBuffer slab = pinned(scene);
              handOutOnHost(scene, slab);
              Graph graph = capture(scene, () -> copyFrom(scene, slab));
              takeBackOnHost(scene, slab);
              graph.launch(scene.s1);
              graph.close();
            },
            USE_AFTER_FREE)
        .twin(
            "taken in the capture, it is there for all launches",
            scene -> {
              PinnedBuffer slab = pinned(scene);
              Graph graph =
                  capture(
                      scene,
                      () -> {
                        handOutOnHost(scene, slab);
                        copyFrom(scene, slab);
                        takeBackOnHost(scene, slab);
                      });
              graph.launch(scene.s1);
              graph.launch(scene.s1);
              graph.close();
            });
  }

  private static Scenario hostBlockHandedOn() {
    return Scenario.of(
            "G17",
            "a pool hands page-locked memory out again that a graph goes on copying to",
            scene -> launchAroundReuse(scene, true),
            EARLY_REUSE)
        .twin("after the last launch", scene -> launchAroundReuse(scene, false));
  }

  private static void launchAroundReuse(Scene scene, boolean early) {
    PinnedBuffer slab = pinned(scene);
    Graph graph =
        capture(
            scene,
            () -> {
              handOutOnHost(scene, slab);
              copyTo(scene, slab);
              takeBackOnHost(scene, slab);
            });
    graph.launch(scene.s1);
    scene.s1.synchronize();
    if (early) {
      handOutOnHost(scene, slab);
    }
    graph.launch(scene.s1);
    scene.s1.synchronize();
    if (!early) {
      handOutOnHost(scene, slab);
    }
    graph.close();
  }

  private static Scenario blockHandedOn() {
    return Scenario.of(
            "G18",
            "a pool hands a block out again that it handed out in a capture, between launches",
            scene -> {
              Graph graph = captureBlock(scene);
              graph.launch(scene.s1);
              scene.handOut(scene.block, SIZE, scene.s1);
              graph.launch(scene.s1);
              graph.close();
            },
            EARLY_REUSE)
        .twin(
            "after the last launch",
            scene -> {
              Graph graph = captureBlock(scene);
              graph.launch(scene.s1);
              graph.launch(scene.s1);
              scene.handOut(scene.block, SIZE, scene.s1);
              graph.close();
            });
  }

  private static Graph captureBlock(Scene scene) {
    Graph graph =
        capture(
            scene,
            () -> {
              scene.handOut(scene.block, SIZE, scene.s1);
              scene.write(scene.s1);
            });
    scene.takeBack(scene.block, scene.s1);
    return graph;
  }
}
