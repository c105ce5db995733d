package org.vramkit.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.testkit.sim.ExpectHazard;

@SimulatedCuda
@DisplayName("A program with two streams")
class StreamsTest {
  @Test
  @ExpectHazard(HazardCode.RACE_RAW)
  @DisplayName("is reported at its own line if a kernel does not wait for a copy")
  void race(SimBackend backend) throws IOException {
    StreamsExample.run(VectorAddTest.ptx(), false);
    HazardReport race = backend.getHazards().get(0);
    String line = "StreamsExample.java:" + lineOf("StreamsExample", "// launch");
    String first =
        race.later().stack().stream()
            .filter(frame -> frame.getClassName().startsWith(StreamsExample.class.getName()))
            .map(StackTraceElement::toString)
            .findFirst()
            .orElse("");
    assertTrue(first.contains(line), first);
    assertTrue(race.toString().contains(line), race.toString());
    assertTrue(
        race.toString().lines().noneMatch(each -> each.contains("at jcuda.")), race.toString());
  }

  @Test
  @ExpectHazard(HazardCode.RACE_RAW)
  @DisplayName("is reported at its own line if it calls JavaCPP")
  void raceOfJavaCpp(SimBackend backend) throws IOException {
    JavaCppStreamsExample.run(VectorAddTest.ptx(), false);
    String race = backend.getHazards().get(0).toString();
    assertTrue(
        race.contains("JavaCppStreamsExample.java:" + lineOf("JavaCppStreamsExample", "// launch")),
        race);
    assertTrue(race.lines().noneMatch(each -> each.contains("at org.bytedeco.")), race);
  }

  @Test
  @DisplayName("gives no report if it calls JavaCPP and waits by an event")
  void twinOfJavaCpp() throws IOException {
    assertEquals(2046f, JavaCppStreamsExample.run(VectorAddTest.ptx(), true));
  }

  @Test
  @DisplayName("gives no report if the kernel waits by an event")
  void twin() {
    float[] sum = StreamsExample.run(VectorAddTest.ptx(), true);
    assertEquals(2, sum[0]);
    assertEquals(2, sum[sum.length - 1]);
  }

  private static int lineOf(String program, String comment) throws IOException {
    List<String> lines =
        Files.readAllLines(Path.of("src/test/java/org/vramkit/agent", program + ".java"));
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).endsWith(comment)) {
        return i + 1;
      }
    }
    throw new IOException("no line ends with " + comment);
  }
}
