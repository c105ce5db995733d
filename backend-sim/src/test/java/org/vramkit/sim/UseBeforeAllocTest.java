package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.FREE_BEFORE_ALLOC;
import static org.vramkit.sim.hazard.HazardCode.FREE_RACE;
import static org.vramkit.sim.hazard.HazardCode.USE_BEFORE_ALLOC;

import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.device.StreamKind;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("Hazards: a block used on another stream than it was allocated on")
class UseBeforeAllocTest {
  @Test
  @DisplayName("12 written since by its own stream: the remedy covers that write as well")
  void writtenSince() {
    try (Scene scene = new Scene();
        SimEvent event = scene.device.createEvent()) {
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.write(scene.s1);
      event.record(scene.s1);
      scene.write(scene.s2);
      HazardReport report = scene.expect(USE_BEFORE_ALLOC).get(0);
      String remedy = report.remedy();
      assertTrue(remedy.contains("after operation 3, its last on these bytes"), remedy);
    }
  }

  @Test
  @DisplayName("12, twin: an event after that write, as the remedy says, leaves no other report")
  void asTheRemedySays() {
    try (Scene scene = new Scene();
        SimEvent event = scene.device.createEvent()) {
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.write(scene.s1);
      event.record(scene.s1);
      scene.s2.waitFor(event);
      scene.write(scene.s2);
      scene.expect();
    }
  }

  @Test
  @DisplayName("12, twin: a thread that has ended waited for the allocation")
  void waitedForByAnEndedThread() throws InterruptedException {
    try (Scene scene = new Scene(1, Scene.PEDANTIC)) {
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.write(scene.s1);
      Thread waiter = new Thread(scene.s1::synchronize);
      waiter.start();
      waiter.join();
      scene.write(scene.s2);
      scene.expect();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("12, twin: a blocking stream was waited for, after an event that it recorded before")
  void waitedForABlockingStream(boolean asks) {
    try (Scene scene = new Scene();
        SimStream blocking = scene.device.createStream(StreamKind.BLOCKING)) {
      scene.order(blocking, scene.s2);
      scene.handOut(scene.block, SIZE, blocking);
      if (asks) {
        scene.askUntilIdle(blocking);
      } else {
        blocking.synchronize();
      }
      scene.write(scene.s1);
      scene.expect();
    }
  }

  @Test
  @DisplayName("12 not used since: an event after the allocation is enough")
  void notUsedSince() {
    try (Scene scene = new Scene()) {
      scene.handOut(scene.block, SIZE, scene.s1);
      scene.write(scene.s2);
      String remedy = scene.expect(USE_BEFORE_ALLOC).get(0).remedy();
      assertTrue(remedy.startsWith("record an event on the allocating stream and"), remedy);
    }
  }

  static List<Schedule> schedules() {
    return Schedule.all();
  }

  /** Uses memory that a stream behind a gate allocates in stream order. */
  private static void heldAllocation(
      Schedule schedule, BiConsumer<Scene, Long> use, HazardCode... expected) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      SimGate gate = scene.backend.createGate("allocation");
      scene.s1.waitFor(gate);
      use.accept(scene, scene.device.getStreamOrderedMemory().allocate(SIZE, scene.s1));
      gate.open();
      scene.device.synchronize();
      scene.expect(expected);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("43.5 use that is over before a held allocation is not in order")
  void usedBeforeAHeldAllocation(Schedule schedule) {
    heldAllocation(
        schedule,
        (scene, block) -> {
          scene.write(scene.s2, block, SIZE);
          scene.s2.synchronize();
        },
        USE_BEFORE_ALLOC);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("43.5 a free by the host before a held allocation is not in order")
  void freedBeforeAHeldAllocation(Schedule schedule) {
    heldAllocation(
        schedule, (scene, block) -> scene.device.getMemory().free(block), FREE_BEFORE_ALLOC);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("43.5 a free in stream order does not count as after the held work that it precedes")
  void freedBeforeHeldWork(Schedule schedule) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      SimGate gate = scene.backend.createGate("use");
      long block = scene.device.getStreamOrderedMemory().allocate(SIZE, scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.s1.waitFor(gate);
      scene.write(scene.s1, block, SIZE);
      scene.device.getStreamOrderedMemory().free(block, scene.s2);
      scene.s2.synchronize();
      gate.open();
      scene.device.synchronize();
      scene.expect(FREE_RACE);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("43.5, twin: use and free that wait for the held allocation")
  void afterAHeldAllocation(Schedule schedule) {
    heldAllocation(
        schedule,
        (scene, block) -> {
          scene.order(scene.s1, scene.s2);
          scene.write(scene.s2, block, SIZE);
          scene.device.getStreamOrderedMemory().free(block, scene.s2);
        });
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("43.5, twin: use behind a second gate, opened once the allocation is done")
  void behindASecondGate(Schedule schedule) {
    try (Scene scene = new Scene(builder -> builder.schedule(schedule))) {
      SimGate allocation = scene.backend.createGate("allocation");
      SimGate use = scene.backend.createGate("use");
      scene.s1.waitFor(allocation);
      scene.s2.waitFor(use);
      long block = scene.device.getStreamOrderedMemory().allocate(SIZE, scene.s1);
      scene.write(scene.s2, block, SIZE);
      allocation.open();
      scene.s1.synchronize();
      use.open();
      scene.device.synchronize();
      scene.expect();
    }
  }
}
