package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.DriverPool;
import org.vramkit.sim.hazard.HazardCode;

/** The device is never waited for: that alone need not be what lets go of closed handles. */
@DisplayName("Memory stays bounded where streams and pools are made and closed all the time")
class ShortLivedHandlesTest {
  private static final int ROUNDS = 2_000;
  private static final int BOUND = 200;

  private static void assertBounded(Consumer<Scene> round) {
    try (Scene scene = new Scene()) {
      for (int i = 0; i < ROUNDS; i++) {
        round.accept(scene);
      }
      int streams = scene.device.core().streams.getCreated().size();
      int pools = scene.device.core().pools.size();
      int clocks = scene.device.core().engine.checker.getClocks();
      assertTrue(streams < BOUND, () -> streams + " streams");
      assertTrue(pools < BOUND, () -> pools + " pools");
      assertTrue(clocks < BOUND, () -> clocks + " clocks");
      scene.expect();
    }
  }

  @Test
  @DisplayName("Streams that do work and are waited for")
  void waitedFor() {
    assertBounded(
        scene -> {
          try (SimStream stream = scene.device.createStream()) {
            scene.write(stream);
            stream.synchronize();
          }
        });
  }

  @Test
  @DisplayName("Streams that are closed under their work, which an event waits for")
  void closedUnderWork() {
    assertBounded(
        scene -> {
          try (SimStream stream = scene.device.createStream()) {
            scene.write(stream);
            scene.order(stream, scene.s1);
          }
          scene.s1.synchronize();
        });
  }

  @Test
  @DisplayName("Streams that are not used")
  void unused() {
    assertBounded(scene -> scene.device.createStream().close());
  }

  @Test
  @DisplayName("Pools of the driver, empty or closed before the work that freed their memory")
  void pools() {
    assertBounded(
        scene -> {
          DriverPool pool = scene.device.getDriverPools().create(0);
          long memory = pool.allocate(Scene.SIZE, scene.s1);
          pool.free(memory, scene.s1);
          pool.close();
          scene.device.getDriverPools().create(0).close();
        });
  }

  private static void writeOnClosedStream(Scene scene) {
    try (SimStream stream = scene.device.createStream()) {
      scene.write(stream);
    }
    for (int i = 0; i < ROUNDS; i++) {
      scene.device.createStream().close();
    }
  }

  @Test
  @DisplayName("Work of a closed stream can still race")
  void raceWithClosed() {
    try (Scene scene = new Scene()) {
      writeOnClosedStream(scene);
      scene.read(scene.s2);
      scene.expect(HazardCode.RACE_RAW);
    }
  }

  @Test
  @DisplayName("A wait for the device still covers the work of closed streams")
  void deviceWaits() {
    try (Scene scene = new Scene()) {
      writeOnClosedStream(scene);
      scene.device.synchronize();
      scene.read(scene.s2);
      scene.expect();
    }
  }
}
