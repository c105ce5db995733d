package org.vramkit.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.TagScope;
import org.vramkit.api.allocator.Tags;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

/**
 * Recordings of the shared traces. Files are kept in the folder that {@value #KEEP} names, for
 * those who have the other tools.
 */
@DisplayName("Recordings of the shared traces")
@Tag("nightly")
class SharedTracesTest {
  private static final String KEEP = "vramkit.export.keep";
  private static final Path TRACES = Path.of("..", "traces");
  private static final ObjectMapper MAPPER =
      new ObjectMapper().enable(DeserializationFeature.USE_LONG_FOR_INTS);

  @TempDir Path folder;

  /** One allocation, or the end of one where size is negative. */
  private record Step(long address, long size, long stream) {
    boolean isFree() {
      return size < 0;
    }
  }

  private static List<Step> steps(String name) throws IOException {
    Path file = TRACES.resolve(name);
    return name.endsWith(".pickle") ? stepsOfPickle(file) : stepsOfRows(file);
  }

  private static List<Step> stepsOfRows(Path file) throws IOException {
    List<Step> steps = new ArrayList<>();
    try (BufferedReader rows =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
      boolean rmm = rows.readLine().startsWith("Thread");
      for (String row = rows.readLine(); row != null; row = rows.readLine()) {
        List<String> fields = List.of(row.split(",", -1));
        int at = rmm ? 2 : 0;
        long address = Long.decode(fields.get(at + 1));
        long size = Long.parseLong(fields.get(at + 2));
        long stream = Long.decode(fields.get(at + 3));
        add(steps, fields.get(at), address, size, stream);
      }
    }
    return steps;
  }

  private static List<Step> stepsOfPickle(Path file) throws IOException {
    List<Step> steps = new ArrayList<>();
    JsonNode root = MAPPER.valueToTree(Unpickled.read(Files.readAllBytes(file)));
    for (JsonNode each : root.path("device_traces").path(0)) {
      add(
          steps,
          each.path("action").asText(),
          each.path("addr").asLong(),
          each.path("size").asLong(),
          each.path("stream").asLong());
    }
    return steps;
  }

  private static void add(List<Step> steps, String action, long address, long size, long stream) {
    switch (action) {
      case "alloc", "allocate" -> steps.add(new Step(address, size, stream));
      case "free_completed", "free" -> steps.add(new Step(address, -1, stream));
      default -> {
        // What the recorded allocator did itself.
      }
    }
  }

  /**
   * Some tags, some uses on other streams, and in the end a request that no device can serve.
   *
   * @param refused what is done when it was refused, with half of what is left still held
   */
  @SuppressWarnings("try") // Scopes are held, not used.
  private static void replay(List<Step> steps, CachingAllocator allocator, Runnable refused) {
    Map<Long, Stream> streams = new HashMap<>();
    Map<Long, Allocation> live = new HashMap<>();
    Random random = new Random(1);
    for (Step each : steps) {
      Allocation older = live.remove(each.address());
      if (older != null) {
        older.close();
      }
      if (!each.isFree()) {
        Stream stream =
            streams.computeIfAbsent(each.stream(), s -> allocator.getDevice().createStream());
        try (TagScope scope = Tags.open("step/" + random.nextInt(4))) {
          Allocation allocation = allocator.allocate(each.size(), stream);
          if (random.nextInt(20) == 0) {
            allocation.recordUse(allocator.getDevice().getDefaultStream());
          }
          live.put(each.address(), allocation);
        }
      }
    }
    assertThrows(DeviceOutOfMemoryException.class, () -> allocator.allocate(32L << 40).close());
    List<Allocation> left = new ArrayList<>(live.values());
    left.subList(0, left.size() / 2).forEach(Allocation::close);
    refused.run();
    left.forEach(Allocation::close);
    streams.values().forEach(Stream::close);
  }

  @ParameterizedTest(name = "{0}, virtual memory {1}")
  @DisplayName("22.2 with an out of memory in them fit the rules of PyTorch's readers")
  @CsvSource({
    "growing.csv.gz,AUTO",
    "growing.csv.gz,OFF",
    "streams.csv.gz,AUTO",
    "serve.csv.gz,AUTO",
    "serve.csv.gz,OFF",
    "snapshot-a.pickle,AUTO",
    "rmm-a.csv.gz,AUTO"
  })
  void recorded(String name, VirtualMemoryUse virtualMemory) throws IOException {
    List<Step> steps = steps(name);
    assertTrue(steps.size() > 2000, "steps: " + steps.size());
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build()) {
      try (CachingAllocator allocator =
          CachingAllocator.builder(backend.getDevice(0))
              .virtualMemory(virtualMemory)
              .history(16 * ByteSize.MIB)
              .build()) {
        replay(steps, allocator, () -> check(name + "-" + virtualMemory, allocator));
      }
      assertEquals(List.of(), backend.getLeaks());
    }
  }

  private void check(String name, CachingAllocator allocator) {
    try {
      MemoryExport export = MemoryExport.of(allocator).withMaxEntries(1_000_000);
      String kept = System.getProperty(KEEP);
      Path folder = kept == null ? this.folder : Files.createDirectories(Path.of(kept));
      Path pickle = folder.resolve(name + ".pickle");
      Path json = folder.resolve(name + ".json");
      export.write(ExportFormat.PYTORCH_PICKLE, pickle);
      export.write(ExportFormat.PYTORCH_JSON, json);
      export.write(ExportFormat.PERFETTO, folder.resolve(name + ".perfetto.json"));
      export.write(ExportFormat.CSV, folder.resolve(name + ".csv"));
      JsonNode root = MAPPER.valueToTree(Unpickled.read(Files.readAllBytes(pickle)));
      SnapshotRules.check(root);
      assertEquals(root, MAPPER.readTree(json.toFile()));
      JsonNode trace = root.path("device_traces").path(0);
      assertEquals(allocator.getHistory().getLost(), 0);
      assertEquals(1, count(trace, "oom"));
      long allocations = allocator.getStatistics().allocations().added();
      assertEquals(allocations, count(trace, "alloc"));
      assertEquals(allocations, tagged(trace));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long count(JsonNode trace, String action) {
    long count = 0;
    for (JsonNode each : trace) {
      count += each.path("action").asText().equals(action) ? 1 : 0;
    }
    return count;
  }

  private static long tagged(JsonNode trace) {
    long count = 0;
    for (JsonNode each : trace) {
      boolean tagged = each.path("user_metadata").asText().startsWith("step/");
      count += tagged && each.path("action").asText().equals("alloc") ? 1 : 0;
    }
    return count;
  }
}
