package org.vramkit.examples.backend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.BackendDescription;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.SimBackend;

@DisplayName("A backend around another one")
class CountingBackendTest {

  @Test
  @DisplayName("17.23 is found by its name, and never taken where it was not asked for")
  void found() {
    List<String> names = Backends.list().stream().map(BackendDescription::name).toList();
    assertTrue(names.indexOf("counting") > names.indexOf("sim"), names.toString());
    try (Backend backend = Backends.open("counting")) {
      assertEquals(1, backend.getDevices().size());
    }
  }

  @Test
  @DisplayName("17.23 counts what an allocator and its user call, and tells it once")
  void counts() {
    List<Map<String, Long>> reports = new ArrayList<>();
    SimBackend within = SimBackend.builder().build();
    Backend backend = CountingBackend.over(within, reports::add);
    Device device = backend.getDevice(0);
    try (CachingAllocator allocator = CachingAllocator.create(device);
        Stream stream = device.createStream();
        Allocation memory = allocator.allocate(1 << 20, stream)) {
      stream.fill(memory.getAddress(), (byte) 1, 1 << 20);
      stream.fill(memory.getAddress(), (byte) 2, 1 << 20);
    }
    backend.close();
    backend.close();
    assertEquals(1, reports.size());
    Map<String, Long> counts = reports.get(0);
    assertEquals(2, counts.get("Stream.fill"));
    assertEquals(1, counts.get("VirtualMemory.reserve"));
    assertEquals(counts.get("VirtualMemory.create"), counts.get("VirtualMemory.release"));
    assertFalse(counts.keySet().stream().anyMatch(name -> name.contains(".get")), "" + counts);
    assertEquals(List.of(), within.getHazards());
    assertEquals(List.of(), within.getLeaks());
  }

  @Test
  @DisplayName("17.23 is what docs/backends.md quotes, line by line")
  void quoted() throws IOException {
    String folder = "java/org/vramkit/examples/backend/";
    List<String> lines = new ArrayList<>();
    for (String source :
        List.of(
            "main/" + folder + "CountingBackendProvider.java",
            "test/" + folder + "CountingBackendKitTest.java",
            "main/resources/META-INF/services/org.vramkit.api.spi.BackendProvider")) {
      Files.readAllLines(Path.of("src", source)).forEach(line -> lines.add(line.strip()));
    }
    String page = Files.readString(Path.of("..", "docs", "backends.md"));
    List<String> missing =
        Pattern.compile("```(?:java|text)\n(.*?)```", Pattern.DOTALL)
            .matcher(page)
            .results()
            .flatMap(block -> block.group(1).lines())
            .map(String::strip)
            .filter(line -> !line.startsWith("// ...") && !lines.contains(line))
            .toList();
    assertEquals(List.of(), missing);
  }

  @Test
  @DisplayName("17.23 refuses what another one has wrapped")
  void others() {
    try (Backend one = CountingBackend.over(SimBackend.builder().build(), counts -> {});
        Backend other = CountingBackend.over(SimBackend.builder().build(), counts -> {});
        Event event = one.getDevice(0).createEvent();
        Stream stream = other.getDevice(0).createStream()) {
      assertThrows(InvalidArgumentException.class, () -> event.record(stream));
    }
  }
}
