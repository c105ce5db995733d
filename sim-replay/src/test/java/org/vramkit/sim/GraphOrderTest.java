package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.vramkit.sim.hazard.HazardCode.HOST_READ_RACE;
import static org.vramkit.sim.hazard.HazardCode.OVERLAPPING_COPY;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.StreamKind;
import org.vramkit.sim.replay.ProgramRecorder;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("The order of a graph's work")
class GraphOrderTest {
  private static final int BYTES = 64;

  static List<Schedule> schedules() {
    return Schedule.all();
  }

  private static Scene scene(Schedule schedule) {
    return new Scene(builder -> builder.schedule(schedule).recorder(new ProgramRecorder()));
  }

  private static Graph captured(Scene scene, Runnable work) {
    scene.device.getGraphs().beginCapture(scene.s1);
    work.run();
    return scene.device.getGraphs().endCapture(scene.s1);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName(
      "A captured host function reports at each launch that the copy before it is complete")
  void functionAfterCopy(Schedule schedule) throws Exception {
    try (Scene scene = scene(schedule)) {
      PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(BYTES);
      BlockingQueue<String> done = new ArrayBlockingQueue<>(2);
      scene.write(scene.s1);
      try (Graph graph =
          captured(
              scene,
              () -> {
                scene.s1.copyToHost(buffer, 0, scene.block, BYTES);
                scene.s1.callHost("tell", () -> done.add("copied"));
              })) {
        for (int i = 0; i < 2; i++) {
          graph.launch(scene.s1);
          done.take();
          scene.backend.hostReads(buffer, 0, BYTES);
        }
      }
      scene.expect();
      Replays.expectSame(scene);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A wait captured before the copy does not order it")
  void functionBeforeCopy(Schedule schedule) throws Exception {
    try (Scene scene = scene(schedule)) {
      PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(BYTES);
      BlockingQueue<String> done = new ArrayBlockingQueue<>(2);
      scene.write(scene.s1);
      Graph graph =
          captured(
              scene,
              () -> {
                scene.s1.callHost("tell", () -> done.add("too early"));
                scene.s1.copyToHost(buffer, 0, scene.block, BYTES);
              });
      graph.launch(scene.s1);
      done.take();
      scene.backend.hostReads(buffer, 0, BYTES);
      scene.expect(HOST_READ_RACE);
      Replays.expectSame(scene);
      graph.close();
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("The default stream and a launch on a blocking one follow each other")
  void defaultStream(Schedule schedule) {
    try (Scene scene = scene(schedule)) {
      SimStream base = scene.device.getDefaultStream();
      SimStream blocking = scene.device.createStream(StreamKind.BLOCKING);
      Graph graph = captured(scene, () -> scene.write(scene.s1));
      scene.write(base);
      graph.launch(blocking);
      scene.read(base);
      scene.expect();
      Replays.expectSame(scene);
      graph.close();
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("Missing order around 100 launches is one report with the count")
  void launches(Schedule schedule) {
    try (Scene scene = scene(schedule)) {
      Graph graph = captured(scene, () -> scene.write(scene.s1));
      for (int i = 0; i < 100; i++) {
        graph.launch(scene.s1);
        scene.read(scene.s2);
        scene.order(scene.s2, scene.s1);
      }
      assertEquals(100, scene.expect(RACE_RAW).get(0).times());
      graph.close();
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("A copy to bytes that it reads is reported when it is captured, and only then")
  void overlapping(Schedule schedule) {
    try (Scene scene = scene(schedule)) {
      scene.write(scene.s1);
      Graph graph = captured(scene, () -> scene.s1.copy(scene.block, scene.block + 8, BYTES));
      assertEquals(1, scene.expect(OVERLAPPING_COPY).get(0).times());
      graph.launch(scene.s1);
      graph.launch(scene.s1);
      assertEquals(1, scene.expect(OVERLAPPING_COPY).get(0).times());
      graph.close();
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("Captured atomic accesses of two launches do no harm to each other")
  void atomics(Schedule schedule) {
    try (Scene scene = scene(schedule)) {
      SimKernel add = SimKernel.named("add").atomics(scene.block, 8).build();
      scene.write(scene.s1);
      scene.s1.synchronize();
      Graph one = captured(scene, () -> scene.s1.launch(add));
      Graph other = captured(scene, () -> scene.s1.launch(add));
      one.launch(scene.s1);
      other.launch(scene.s2);
      scene.expect();
      scene.read(scene.s3, scene.block, 8);
      assertEquals(1, scene.backend.getHazards().size());
      Replays.expectSame(scene);
      one.close();
      other.close();
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("Work may not rely on waits that a pool adds to a captured stream")
  void poolWaits(Schedule schedule) {
    try (Scene scene = scene(schedule)) {
      Graph graph =
          captured(
              scene,
              () -> {
                scene.order(scene.s1, scene.s2);
                scene.write(scene.s1);
                scene.device.getMemoryObserver().enterPool();
                scene.order(scene.s1, scene.s2);
                scene.device.getMemoryObserver().leavePool();
                scene.read(scene.s2);
                scene.order(scene.s2, scene.s1);
              });
      graph.launch(scene.s1);
      scene.expect(RACE_RAW);
      Replays.expectSame(scene);
      graph.close();
    }
  }
}
