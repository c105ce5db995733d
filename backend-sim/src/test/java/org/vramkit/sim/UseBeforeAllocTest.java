package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.USE_BEFORE_ALLOC;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.hazard.HazardReport;

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
}
