package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.Scene.SIZE;
import static org.vramkit.sim.hazard.HazardCode.EARLY_REUSE;
import static org.vramkit.sim.hazard.HazardCode.FREE_IN_FLIGHT;
import static org.vramkit.sim.hazard.HazardCode.RACE_RAW;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.NearestOrder;
import org.vramkit.sim.hazard.Shortfall;

@DisplayName("The synchronisation that comes nearest")
class NearestOrderTest {

  private static NearestOrder nearest(Scene scene, HazardCode code) {
    return Objects.requireNonNull(scene.expect(code).get(0).nearest());
  }

  private static void assertWords(NearestOrder order, String words) {
    assertTrue(order.words().contains(words), order.words());
  }

  @Test
  @DisplayName("is nothing where a program has none")
  void none() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1);
      scene.read(scene.s2);
      assertNull(scene.expect(RACE_RAW).get(0).nearest());
    }
  }

  @Test
  @DisplayName(
      "is a record after the write without a wait, rather than an older complete" + " order")
  void recordedAndNotWaitedFor() {
    try (Scene scene = new Scene();
        SimEvent event = scene.device.createEvent()) {
      scene.write(scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.read(scene.s2);
      scene.order(scene.s2, scene.s1);
      scene.write(scene.s1);
      event.record(scene.s1);
      scene.read(scene.s2);
      NearestOrder order = nearest(scene, RACE_RAW);
      assertEquals(Shortfall.NOT_WAITED_FOR, order.shortfall());
      assertWords(order, "after the write, but " + name(scene.s2) + " has not waited for it");
    }
  }

  @Test
  @DisplayName(
      "43.8 is not the order of an earlier iteration if a loop lacks the one of this iteration")
  void orderOfAnEarlierRound() {
    try (Scene scene = new Scene()) {
      scene.write(scene.s1);
      scene.order(scene.s1, scene.s2);
      scene.read(scene.s2);
      scene.order(scene.s2, scene.s1);
      scene.write(scene.s1);
      scene.read(scene.s2);
      assertNull(scene.expect(RACE_RAW).get(0).nearest());
    }
  }

  @Test
  @DisplayName("43.8 is not what the host waited for at the end of an earlier round")
  void hostWaitOfAnEarlierRound() {
    try (Scene scene = new Scene()) {
      for (int round = 0; round < 2; round++) {
        scene.write(scene.s1);
        if (round == 0) {
          scene.order(scene.s1, scene.s2);
        }
        scene.read(scene.s2);
        scene.s2.synchronize();
        scene.s1.synchronize();
      }
      assertNull(scene.expect(RACE_RAW).get(0).nearest());
    }
  }

  @Test
  @DisplayName("43.8 is not a wait for an event before its first record, if the record is useful")
  void waitedBeforeTheWrite() {
    try (Scene scene = new Scene();
        SimEvent event = scene.device.createEvent()) {
      scene.s2.waitFor(event);
      scene.write(scene.s1);
      event.record(scene.s1);
      scene.read(scene.s2);
      NearestOrder order = Objects.requireNonNull(scene.backend.getHazards().get(0).nearest());
      assertEquals(Shortfall.NOT_WAITED_FOR, order.shortfall());
    }
  }

  @Test
  @DisplayName("is a wait of the host for an event that was recorded before the write")
  void hostWaitedTooEarly() {
    try (Scene scene = new Scene();
        SimEvent event = scene.device.createEvent()) {
      event.record(scene.s1);
      scene.write(scene.s1);
      event.synchronize();
      scene.device.getMemory().free(scene.block);
      NearestOrder order = nearest(scene, FREE_IN_FLIGHT);
      assertEquals(Shortfall.TOO_EARLY, order.shortfall());
      assertWords(order, "the host waited at operation 4 for event");
      assertWords(order, "1 operation before the write: record it after the write");
    }
  }

  @Test
  @DisplayName("10 is, for a pool, the mark that it made before the last work")
  void poolMarkedTooEarly() {
    try (Scene scene = new Scene();
        SimEvent mark = scene.device.createEvent()) {
      scene.handOut(scene.block, SIZE, scene.s1);
      mark.record(scene.s1);
      scene.write(scene.s1);
      scene.takeBack(scene.block, scene.s1);
      scene.s2.waitFor(mark);
      scene.handOut(scene.block, SIZE, scene.s2);
      NearestOrder order = nearest(scene, EARLY_REUSE);
      assertEquals(Shortfall.TOO_EARLY, order.shortfall());
      assertWords(order, "1 operation before the write: record it after the write");
    }
  }

  /** Copies to a buffer that a function of another stream uses, in a loop that lacks one order. */
  private static @Nullable NearestOrder nearestOfFunction(boolean waitsBefore) {
    try (Scene scene = new Scene()) {
      PinnedBuffer buffer = scene.device.getPinnedMemory().allocate(SIZE);
      scene.write(scene.s1);
      for (int round = 0; round < 3; round++) {
        try (SimEvent event = scene.device.createEvent()) {
          scene.s1.copyToHost(buffer, 0, scene.block, SIZE);
          event.record(scene.s1);
          if (waitsBefore) {
            scene.s2.waitFor(event);
          }
          scene.s2.callHost("use", () -> buffer.hostReads(0, SIZE));
          if (!waitsBefore) {
            scene.s2.waitFor(event);
            scene.order(scene.s2, scene.s1);
          }
        }
      }
      scene.device.synchronize();
      return scene.backend.getHazards().get(0).nearest();
    }
  }

  @Test
  @DisplayName("43.8 is not, for a host function, the order of the round after its own")
  void functionOfAnEarlierRound() {
    assertNull(nearestOfFunction(true));
  }

  @Test
  @DisplayName("43.8 names a wait that comes after the host function")
  void waitAfterTheFunction() {
    NearestOrder order = Objects.requireNonNull(nearestOfFunction(false));
    assertEquals(Shortfall.NOT_WAITED_FOR, order.shortfall());
    assertWords(order, "waited for it only after the host function, at operation ");
  }

  private static String name(SimStream stream) {
    return stream.toString();
  }
}
