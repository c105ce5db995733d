package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("The step that compares kernels on a real GPU with the simulator")
class KernelSuiteTest {
  @Test
  @DisplayName("runs through on two simulators, whose schedules make no difference")
  void rehearsal() throws IOException {
    Path suite =
        Path.of("..", "ptx", "src", "test", "resources", "org", "vramkit", "ptx", "kernels");
    try (SimBackend one = SimBackend.builder().schedule(Schedule.random()).build();
        SimBackend other = SimBackend.builder().build()) {
      assertEquals(0, new KernelSuite(suite).compare(one, other));
      assertEquals(List.of(), one.getHazards());
      assertEquals(List.of(), other.getHazards());
      assertEquals(List.of(), one.getLeaks());
    }
  }
}
