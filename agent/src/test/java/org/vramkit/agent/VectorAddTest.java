package org.vramkit.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.SimBackend;

@SimulatedCuda
@DisplayName("A JCuda program that adds vectors")
class VectorAddTest {
  static String ptx() {
    return Path.of("src/test/resources/org/vramkit/agent/vector_add.ptx").toString();
  }

  @Test
  @DisplayName("runs unmodified and without native libraries")
  void runs(SimBackend backend) {
    VectorAddExample.main(new String[] {ptx()});
    assertEquals(1, backend.getDriverCalls().getCounts().get("cuLaunchKernel"));
    assertEquals(0, backend.getLeaks().size());
  }
}
