package org.vramkit.testkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimGate;
import org.vramkit.sim.SimStream;

class LongWaitTest {
  @Test
  @DisplayName("43.7 a wait beside a polling thread is logged, once and not as a deadlock")
  void loggedOnce() throws InterruptedException {
    try (LoggedNotices logged = new LoggedNotices("org.vramkit.sim.HeldWork");
        SimBackend backend = SimBackend.builder().patience(Duration.ofMillis(5)).build()) {
      SimGate gate = backend.createGate("late");
      try (SimStream stream = backend.getDevice(0).createStream()) {
        stream.waitFor(gate);
        Thread waiting = new Thread(stream::synchronize, "the waiting thread");
        waiting.start();
        while (logged.all().isEmpty()) {
          Thread.sleep(1);
        }
        gate.open();
        waiting.join();
      }
      assertEquals(1, logged.all().size(), logged.all().toString());
      String message = logged.all().get(0);
      assertTrue(message.startsWith("the waiting thread still waits for work"), message);
      assertTrue(message.contains("late"), message);
      assertEquals(List.of(), backend.getHazards());
    }
  }
}
