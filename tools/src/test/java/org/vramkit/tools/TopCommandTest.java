package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The command top")
class TopCommandTest {
  private static final String OPEN_ALLOCATORS = "vramkit.open-allocators";
  private static final int COLUMNS = 80;

  private static BusyJvm jvm;

  @BeforeAll
  static void start() throws IOException {
    jvm = new BusyJvm(List.of());
  }

  @AfterAll
  static void end() throws IOException, InterruptedException {
    try {
      jvm.finish();
    } finally {
      jvm.close();
    }
  }

  @Test
  @DisplayName("22.8 shows the pools of another JVM that needs no option")
  void otherJvm() throws IOException {
    Run run = Run.of("top", jvm.getNumber(), "--once");
    assertEquals(0, run.code(), run.err());
    assertTrue(run.out().startsWith("process " + jvm.getNumber() + " at "), run.out());
    assertTrue(run.out().contains("NVIDIA H200"), run.out());
    assertTrue(run.out().lines().anyMatch(line -> line.startsWith("weights ")), run.out());
    assertTrue(run.out().contains("4.00 MiB"), run.out());
    Run lines = Run.of("top", jvm.getNumber(), "--once", "--json");
    assertEquals(1, lines.out().lines().count(), lines.out());
    assertEquals("weights", lines.json().path("tags").path(0).path("tag").asText());
    List<String> tables = run.out().lines().toList();
    int suspended = tables.indexOf("ALLOCATOR  SUSPENDED");
    assertEquals("1           6.00 MiB", tables.get(suspended + 1), run.out());
    assertTrue(tables.stream().anyMatch(line -> line.startsWith("ADMISSION ")), run.out());
    assertTrue(tables.stream().anyMatch(line -> line.matches("1 .* 3.00 GiB .*")), run.out());
    assertTrue(tables.stream().anyMatch(line -> line.startsWith("SPILL STORE ")), run.out());
    JsonNode store = lines.json().path("spillStores").path(0);
    assertEquals(2L << 20, store.path("onHostBytes").asLong(), lines.out());
    assertEquals(2L << 20, store.path("spilledBytes").asLong(), lines.out());
  }

  @Test
  @DisplayName("44.4 fits 80 columns")
  void narrow() {
    Run run = Run.of("top", jvm.getNumber(), "--once");
    assertEquals(0, run.code(), run.err());
    assertTrue(run.out().lines().count() > 1, run.out());
    assertTrue(run.out().lines().allMatch(line -> line.length() <= COLUMNS), run.out());
  }

  @Test
  @DisplayName("42.27 without a process id picks the JVM with allocators, or lists several")
  void chosen() throws IOException, InterruptedException {
    String own = System.getProperty(OPEN_ALLOCATORS, "0");
    Run alone = Run.of("top", "--once");
    // Other builds on this machine may run programs of theirs.
    if (alone.code() == 0) {
      assertTrue(alone.out().startsWith("process " + jvm.getNumber() + " at "), alone.out());
      assertTrue(alone.out().lines().anyMatch(line -> line.startsWith("steps (0x")), alone.out());
    } else {
      alone.failed(2, "several JVMs have allocators", jvm.getNumber() + " org.vramkit");
    }
    assertEquals(own, System.getProperty(OPEN_ALLOCATORS, "0"));
    try (BusyJvm other = new BusyJvm(List.of())) {
      Run.of("top", "--once")
          .failed(
              2,
              "several JVMs have allocators",
              jvm.getNumber() + " org.vramkit",
              other.getNumber() + " org.vramkit");
      other.finish();
    }
  }

  @Test
  @DisplayName("22.8 ends silently after a closed pipe, and with an error on a full disk")
  void nobodyReads() {
    for (String form : new String[] {"--interval=1", "--json"}) {
      Run pipe = Run.to(Run.broken("Broken pipe"), "top", jvm.getNumber(), form);
      assertEquals(0, pipe.code(), pipe.err());
      assertEquals("", pipe.err());
      Run.to(Run.broken("No space left on device"), "top", jvm.getNumber(), form)
          .failed(1, "No space left");
    }
  }

  @Test
  @DisplayName("22.8 reports a missing JVM and one without pools")
  void wrong() throws IOException {
    Run.of("top", "nonsense").failed(2, "'nonsense' is neither a process id nor");
    Run.of("top", "999999999").failed(2, "cannot attach to process 999999999");
    Run refused = Run.of("top", "localhost:1");
    refused.failed(2, "cannot connect to localhost:1: ConnectException: ", "jmxremote.port");
    assertFalse(refused.err().contains("nested exception"), refused.err());
    Run.of("top", "localhost:0").failed(2, "the port must be from 1 to 65535, not 0");
    Run.of("top", "localhost:65536").failed(2, "from 1 to 65535, not 65536");
    Run.of("top", "[::1]:99999999999").failed(2, "from 1 to 65535, not 99999999999");
    Run.of("top", "1", "--interval", "0").failed(2, "'--interval'", "from 1 to 3600, not '0'");
  }

  @Test
  @DisplayName("22.8 a process that is not a JVM is refused and survives")
  void noJvm() throws IOException, InterruptedException {
    assumeTrue(Files.isExecutable(Path.of("/bin/sleep")), "sleep is a program of Unix");
    Process sleep = new ProcessBuilder("/bin/sleep", "60").start();
    try {
      String number = Long.toString(sleep.pid());
      Run.of("top", number, "--once").failed(2, "process " + number + " is not a JVM", "this user");
      Run.of("top", "0" + number, "--once").failed(2, "process " + number + " is not a JVM");
      assertFalse(sleep.waitFor(100, TimeUnit.MILLISECONDS), "top has ended it");
    } finally {
      sleep.destroy();
    }
  }
}
