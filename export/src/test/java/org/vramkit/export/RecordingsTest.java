package org.vramkit.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.AllocatorHistory;
import org.vramkit.pool.caching.AllocatorSnapshot;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.HistoryEvent;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;

@DisplayName("Recordings")
class RecordingsTest {
  private static final int EFFORT = Integer.getInteger("vramkit.effort", 1);

  private static final ObjectMapper MAPPER =
      new ObjectMapper().enable(DeserializationFeature.USE_LONG_FOR_INTS);

  private static byte[] written(MemoryExport export, ExportFormat format) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    export.write(format, bytes);
    return bytes.toByteArray();
  }

  static JsonNode unpickled(MemoryExport export) {
    return MAPPER.valueToTree(Unpickled.read(written(export, ExportFormat.PYTORCH_PICKLE)));
  }

  private interface Check {
    void on(MemoryExport export, World world) throws IOException;
  }

  /** As threads may have noted them: some late, some not at all, the oldest forgotten. */
  private static List<HistoryEvent> damaged(List<HistoryEvent> events, Random random, int kind) {
    List<HistoryEvent> kept =
        new ArrayList<>(
            events.subList(kind == 0 ? 0 : random.nextInt(events.size()), events.size()));
    if (kind == 2) {
      for (int i = 0; i < kept.size() / 10; i++) {
        int at = random.nextInt(kept.size());
        kept.add(Math.min(kept.size() - 1, at + random.nextInt(5)), kept.remove(at));
      }
    }
    if (kind == 3) {
      kept.removeIf(each -> random.nextInt(10) == 0);
    }
    return kept;
  }

  private static void onEach(Check check) throws IOException {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build()) {
      Device device = backend.getDevice(0);
      for (int seed = 0; seed < 80 * EFFORT; seed++) {
        Random random = new Random(seed);
        World world = new World(random, 20 + random.nextInt(500));
        int kind = seed % 4;
        AllocatorSnapshot snapshot =
            kind == 3 ? new World(random, 100).snapshot() : world.snapshot();
        KeptHistory history = new KeptHistory(damaged(world.events, random, kind));
        try {
          check.on(MemoryExport.of(device, snapshot, history), world);
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError("seed " + seed, e);
        }
      }
    }
  }

  @Test
  @DisplayName(
      "22.2 fit the rules of PyTorch's readers, whatever was lost, and say the same in both formats")
  void rules() throws IOException {
    onEach(
        (export, world) -> {
          JsonNode pickle = unpickled(export);
          SnapshotRules.check(pickle);
          assertEquals(pickle, MAPPER.readTree(written(export, ExportFormat.PYTORCH_JSON)));
        });
  }

  @Test
  @DisplayName("22.2 that lost nothing tell every event as it was, with tag and stack")
  void exact() throws IOException {
    World world = new World(new Random(5), 1000);
    KeptHistory history = new KeptHistory(world.events);
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build()) {
      MemoryExport export = MemoryExport.of(backend.getDevice(0), world.snapshot(), history);
      JsonNode trace =
          MAPPER.readTree(written(export, ExportFormat.PYTORCH_JSON)).path("device_traces").path(0);
      List<HistoryEvent> known = new ArrayList<>(world.events);
      known.removeIf(each -> each.action() == HistoryEvent.Action.WAIT);
      assertEquals(known.size(), trace.size());
      for (int i = 0; i < known.size(); i++) {
        HistoryEvent event = known.get(i);
        JsonNode entry = trace.path(i);
        assertEquals(event.size(), entry.path("size").asLong());
        assertEquals(1_700_000_000_123_456L + event.nanos() / 1000, entry.path("time_us").asLong());
        assertEquals(event.tag(), entry.path("user_metadata").asText());
        assertEquals(
            "[{\"filename\":\"B.java\",\"line\":7,\"name\":\"a.B.m" + event.size() % 3 + "\"}]",
            entry.path("frames").toString());
      }
    }
  }

  @Test
  @DisplayName("22.2 as rows are complete: each free has an allocation")
  void rows() throws IOException {
    onEach(
        (export, world) -> {
          String text = new String(written(export, ExportFormat.CSV), StandardCharsets.UTF_8);
          String[] lines = text.split("\n");
          assertEquals("action,addr,size,stream,time_us,tag,thread,stack", lines[0]);
          Map<String, String> live = new HashMap<>();
          long last = 0;
          for (String line : List.of(lines).subList(1, lines.length)) {
            String[] row = line.split(",", 6);
            switch (row[0]) {
              case "alloc" -> assertEquals(null, live.put(row[1], row[2]), line);
              case "free_completed" -> assertEquals(row[2], live.remove(row[1]), line);
              default -> assertTrue(row[0].matches("[a-z_]+"), line);
            }
            assertTrue(Long.parseLong(row[4]) >= last, line);
            last = Long.parseLong(row[4]);
          }
        });
  }

  @Test
  @DisplayName("22.2 for Perfetto begin and end each slice once, with bytes that add up")
  void perfetto() throws IOException {
    onEach(
        (export, world) -> {
          JsonNode root = MAPPER.readTree(written(export, ExportFormat.PERFETTO));
          assertEquals("ns", root.path("displayTimeUnit").asText());
          Map<Long, String> open = new HashMap<>();
          Map<Long, Long> bytes = new HashMap<>();
          Map<String, Long> live = new HashMap<>();
          Map<String, Long> told = new HashMap<>();
          for (JsonNode each : root.path("traceEvents")) {
            JsonNode args = each.path("args");
            assertEquals(0, each.path("pid").asInt(-1));
            String name = each.path("name").asText();
            long id = each.path("id").asLong();
            switch (each.path("ph").asText()) {
              case "b" -> {
                assertEquals(null, open.put(id, name));
                bytes.put(id, args.path("bytes").asLong());
                live.merge(name, args.path("bytes").asLong(), Long::sum);
              }
              case "e" -> {
                assertEquals(name, open.remove(id));
                live.merge(name, -bytes.getOrDefault(id, 0L), Long::sum);
              }
              case "C" -> {
                assertTrue(args.path("live").asLong(-1) >= 0);
                if (name.startsWith("tag ")) {
                  told.put(name.substring(4), args.path("live").asLong());
                  continue;
                }
                assertTrue(args.path("reserved").asLong() >= args.path("cached").asLong());
              }
              case "M" -> assertTrue(args.has("name"));
              default -> assertEquals("i", each.path("ph").asText());
            }
            assertTrue(each.path("ph").asText().equals("M") || each.path("ts").isNumber());
          }
          // What has no tag has no counter of its own.
          live.remove("allocation");
          assertEquals(live, told);
        });
  }

  @Test
  @DisplayName("22.1 have what the snapshot says of each tag among the settings")
  void tagUsage() throws IOException {
    World world = new World(new Random(11), 500);
    AllocatorSnapshot snapshot = world.snapshot();
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build()) {
      MemoryExport export =
          MemoryExport.of(backend.getDevice(0), snapshot, new KeptHistory(world.events));
      JsonNode tags = unpickled(export).path("allocator_settings").path("tags_0");
      assertTrue(tags.size() > 1, tags::toString);
      for (int i = 0; i < tags.size(); i++) {
        TagUsage usage = snapshot.tags().get(i);
        assertEquals(usage.tag(), tags.path(i).path("tag").asText());
        assertEquals(usage.liveBytes(), tags.path(i).path("live_bytes").asLong());
        assertEquals(usage.peakBytes(), tags.path(i).path("peak_bytes").asLong());
        assertEquals(usage.allocations(), tags.path(i).path("allocations").asLong());
        assertEquals(usage.allocatedBytes(), tags.path(i).path("allocated_bytes").asLong());
      }
    }
  }

  @Test
  @DisplayName("22.1 for Perfetto count the tags that peaked highest one by one, others together")
  void manyTags() throws IOException {
    List<HistoryEvent> events = new ArrayList<>();
    List<TagUsage> usages = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      String tag = "request " + i;
      events.add(
          new HistoryEvent(
              HistoryEvent.Action.ALLOCATE,
              i,
              World.BASE + i * 512L,
              100 + i,
              0,
              1,
              tag,
              List.of()));
      usages.add(new TagUsage(tag, 0, 100 + i, 1, 100 + i));
    }
    AllocatorSnapshot snapshot = new AllocatorSnapshot(List.of(), 0, List.of(), usages);
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build()) {
      MemoryExport export =
          MemoryExport.of(backend.getDevice(0), snapshot, new KeptHistory(events));
      Map<String, Long> highest = new HashMap<>();
      for (JsonNode each :
          MAPPER.readTree(written(export, ExportFormat.PERFETTO)).path("traceEvents")) {
        if (each.path("name").asText().startsWith("tag ")) {
          long live = each.path("args").path("live").asLong();
          highest.merge(each.path("name").asText().substring(4), live, Math::max);
        }
      }
      assertEquals(65, highest.size());
      assertEquals(199, highest.get("request 99"));
      assertEquals(null, highest.get("request 35"));
      // 100 to 135 bytes.
      assertEquals(36 * (100 + 135) / 2, highest.get(TagUsage.OTHERS));
    }
  }

  private static JsonNode liveBlocks(JsonNode root) {
    ArrayNode blocks = MAPPER.createArrayNode();
    for (JsonNode segment : root.path("segments")) {
      for (JsonNode block : segment.path("blocks")) {
        if (!block.path("state").asText().equals("inactive")) {
          blocks.add(block);
        }
      }
    }
    return blocks;
  }

  @Test
  @DisplayName("22.2 tell no stack of a block that was allocated anew since the history was read")
  void allocatedSince() throws IOException {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build();
        SimStream stream = backend.getDevice(0).createStream();
        CachingAllocator allocator =
            CachingAllocator.builder(backend.getDevice(0))
                .history(1 << 16)
                .historyStacks(true)
                .build()) {
      Allocation before = allocator.tagged("before").allocate(4096, stream);
      AllocatorHistory history = allocator.getHistory();
      long address = before.getAddress();
      assertEquals(1, framesOfLive(allocator, history).size());
      before.close();
      try (Allocation after = allocator.tagged("after").allocate(4096, stream)) {
        assertEquals(address, after.getAddress());
        assertEquals(0, framesOfLive(allocator, history).size());
      }
    }
  }

  private static JsonNode framesOfLive(CachingAllocator allocator, AllocatorHistory history)
      throws IOException {
    MemoryExport export =
        MemoryExport.of(allocator.getDevice(), allocator.getSnapshot(), history).withMaxFrames(1);
    JsonNode blocks = liveBlocks(unpickled(export));
    assertEquals(1, blocks.size());
    return blocks.path(0).path("frames");
  }

  @Test
  @DisplayName("22.2 tell of each live block which stack allocated it, as far as they go back")
  void stacksOfBlocks() throws IOException {
    World world = new World(new Random(13), 2000);
    int size = world.events.size();
    List<HistoryEvent> kept = new ArrayList<>(world.events.subList(size - size / 4, size));
    // Of a block that was freed and allocated again the second allocation may be what is missing.
    Random random = new Random(17);
    kept.removeIf(each -> random.nextInt(10) == 0);
    Map<Long, String> allocated = new HashMap<>();
    for (HistoryEvent each : kept) {
      switch (each.action()) {
        case ALLOCATE -> allocated.put(each.address(), each.stack().get(0).getMethodName());
        case FREE_COMPLETED -> allocated.remove(each.address());
        default -> {
          // Changes no block.
        }
      }
    }
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build()) {
      MemoryExport export =
          MemoryExport.of(backend.getDevice(0), world.snapshot(), new KeptHistory(kept));
      int known = 0;
      int unknown = 0;
      // What is written of the events has no bearing on it.
      for (JsonNode block : liveBlocks(unpickled(export.withMaxEntries(1)))) {
        String method = allocated.get(block.path("address").asLong());
        if (method == null) {
          unknown++;
          assertEquals(0, block.path("frames").size());
        } else {
          known++;
          assertEquals(1, block.path("frames").size());
          assertEquals("a.B." + method, block.path("frames").path(0).path("name").asText());
        }
      }
      assertTrue(known > 1 && unknown > 1, known + " known, " + unknown + " unknown");
      for (JsonNode block : liveBlocks(unpickled(export.withMaxFrames(0)))) {
        assertEquals(0, block.path("frames").size());
      }
    }
  }

  @Test
  @DisplayName("22.2 are cut to the latest events and to the nearest frames")
  void limits() throws IOException {
    World world = new World(new Random(9), 2000);
    KeptHistory history = new KeptHistory(world.events);
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build()) {
      MemoryExport export =
          MemoryExport.of(backend.getDevice(0), world.snapshot(), history)
              .withMaxEntries(100)
              .withMaxFrames(0);
      JsonNode root = unpickled(export);
      SnapshotRules.check(root);
      JsonNode trace = root.path("device_traces").path(0);
      assertTrue(trace.size() <= 100, "entries: " + trace.size());
      assertEquals("[]", trace.path(0).path("frames").toString());
      assertEquals(
          world.events.size() - 100, root.path("allocator_settings").path("lost_events_0").asInt());
    }
  }
}
