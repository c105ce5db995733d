package org.vramkit.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.tools.TraceFiles.STREAMS;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.discovery.Backends;

@DisplayName("The backend that the property or the environment names")
class ConfiguredBackendTest {
  @AfterEach
  void restore() {
    System.clearProperty(Backends.PROPERTY);
  }

  @Test
  @DisplayName("17.25 a wrong backend fails replay, and devices after its list")
  void wrong() {
    System.setProperty(Backends.PROPERTY, "abacus");
    Run replay = Run.of("replay", STREAMS);
    replay.failed(2, "VRK-B004", "'abacus'", "the system property vramkit.backend");
    assertEquals("", replay.out());
    Run devices = Run.of("devices");
    devices.failed(2, "VRK-B004", "'abacus'", "the system property vramkit.backend");
    assertTrue(devices.out().contains("sim:0"), devices.out());
  }

  @Test
  @DisplayName("17.24 bad input is reported before the backend is opened")
  void inputFirst() {
    System.setProperty(Backends.PROPERTY, "abacus");
    Run.of("partition", "--units=-1").failed(2, "'--units'");
    Run.of("partition", "--units=1", "--bytes-per-unit=x").failed(2, "'--bytes-per-unit'");
    Run.of("replay", "--repeat=0", STREAMS).failed(2, "'--repeat'");
    Run.of("replay", "--html", STREAMS, STREAMS).failed(2, "--html");
    Run.of("replay", "--allocator", "magic", STREAMS).failed(2, "unknown allocator 'magic'");
    Run.of("replay", "--allocator", "direct", "--option", "limit=1", STREAMS)
        .failed(2, "only the caching allocator does");
  }

  @Test
  @DisplayName("17.25 a right one is taken, and an option beats it")
  void right() throws IOException {
    System.setProperty(Backends.PROPERTY, "sim");
    assertEquals(0, Run.of("devices").code());
    assertEquals("sim", backendOf(Run.of("replay", "--json", STREAMS)));
    System.setProperty(Backends.PROPERTY, "abacus");
    assertEquals("sim", backendOf(Run.of("replay", "--json", "--backend", "sim", STREAMS)));
  }

  private static String backendOf(Run run) throws IOException {
    assertEquals(0, run.code(), run.err());
    return run.json().get("traces").get(0).get("backend").asText();
  }

  @Test
  @DisplayName("17.25 the environment counts as the property does")
  void environment() throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "replay",
            STREAMS);
    builder.environment().put(Backends.ENVIRONMENT, "abacus");
    Process process = builder.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertTrue(process.waitFor(1, TimeUnit.HOURS));
    assertEquals(2, process.exitValue(), output);
    assertTrue(output.contains("the environment variable " + Backends.ENVIRONMENT), output);
  }
}
