package org.vramkit.sim.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.LeakReport;

@DisplayName("docs/simulator.md")
class DocumentedLeaksTest {

  @Test
  @DisplayName("24 has a section about leaks, with an example and the report that it gives")
  void leaks() throws IOException {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      LeakExamples.leftBehind(backend.getDevice(0));
      String source = ExampleSource.ofMethod("LeakExamples", "leftBehind");
      String report = backend.getLeakReport().toString();
      PageSection.of("LEAK").update(source, report);
      PageSection section = PageSection.of("LEAK");
      assertEquals(source, section.getBlock("java"));
      assertEquals(report, section.getBlock("text"));
      assertEquals("docs/simulator.md#" + section.getAnchor(), LeakReport.LINK);
    }
  }
}
