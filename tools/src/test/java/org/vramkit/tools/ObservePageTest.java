package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The commands of docs/observe.md")
class ObservePageTest {
  private static final Path PAGE = Path.of("..", "docs", "observe.md");

  @TempDir private Path folder = Path.of("");

  /** The options of the page's only command {@code java} that has this one. */
  private static List<String> options(String holding) throws IOException {
    List<String> commands =
        Files.readAllLines(PAGE).stream()
            .filter(line -> line.startsWith("java ") && line.contains(holding))
            .toList();
    assertEquals(1, commands.size(), commands::toString);
    return Arrays.stream(commands.get(0).split(" ")).filter(word -> word.startsWith("-")).toList();
  }

  @Test
  @DisplayName("22.4 a recording started as the page says contains the enabled events")
  void recording() throws IOException, InterruptedException {
    Path file = folder.resolve("run.jfr");
    List<String> options =
        options("StartFlightRecording").stream()
            .map(option -> option.replace("=run.jfr", "=" + file))
            .toList();
    try (BusyJvm jvm = new BusyJvm(options)) {
      // Figures are told each second.
      Thread.sleep(1500);
      jvm.finish();
    }
    Map<String, Long> events =
        RecordingFile.readAllEvents(file).stream()
            .map((RecordedEvent event) -> event.getEventType().getName())
            .filter(name -> name.startsWith("org.vramkit."))
            .collect(Collectors.groupingBy(name -> name, Collectors.counting()));
    assertTrue(events.containsKey("org.vramkit.Grow"), events::toString);
    assertTrue(events.containsKey("org.vramkit.PoolStatistics"), events::toString);
  }

  @Test
  @DisplayName("22.8 top shows a remote JVM started as the page says")
  void listening() throws IOException, InterruptedException {
    int port = freePort();
    List<String> options =
        options("jmxremote.port").stream()
            .map(option -> option.replaceFirst("port=\\d+", "port=" + port))
            .toList();
    try (BusyJvm jvm = new BusyJvm(options)) {
      Run run = Run.of("top", "localhost:" + port, "--once");
      assertEquals(0, run.code(), run.err());
      assertTrue(run.out().startsWith("localhost:" + port + " at "), run.out());
      assertTrue(run.out().lines().anyMatch(line -> line.startsWith("weights ")), run.out());
      jvm.finish();
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
