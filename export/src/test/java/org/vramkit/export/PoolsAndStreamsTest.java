package org.vramkit.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.Backup;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.SnapshotWriter;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;

@DisplayName("Recordings")
class PoolsAndStreamsTest {
  private static byte[] written(MemoryExport export, ExportFormat format) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    export.write(format, bytes);
    return bytes.toByteArray();
  }

  @Test
  @DisplayName("42.28 are written by a service, which allocators find")
  void service() {
    assertInstanceOf(
        PickleSnapshotWriter.class,
        ServiceLoader.load(SnapshotWriter.class).findFirst().orElseThrow());
  }

  @Test
  @DisplayName("42.28 tell of each entry which private pool it happened in")
  void pools() throws IOException {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
        SimStream stream = backend.getDevice(0).createStream("copies");
        CachingAllocator allocator =
            CachingAllocator.builder(backend.getDevice(0)).history(1 << 20).build()) {
      try (PrivatePool pool = allocator.createPool();
          Allocation own = pool.getAllocator().allocate(3000, stream);
          Allocation common = allocator.allocate(2000, stream)) {
        MemoryExport export = MemoryExport.of(allocator);
        Map<Long, Set<String>> actions = new HashMap<>();
        for (JsonNode each :
            new ObjectMapper()
                .<JsonNode>valueToTree(Unpickled.read(written(export, ExportFormat.PYTORCH_PICKLE)))
                .path("device_traces")
                .path(0)) {
          long id = each.path("pool_id").path(1).asLong();
          actions
              .computeIfAbsent(id, unused -> new HashSet<>())
              .add(each.path("action").asText() + each.path("size").asLong() % 4096);
        }
        Set<String> ofPool = actions.getOrDefault(pool.getId(), Set.of());
        assertTrue(
            ofPool.containsAll(Set.of("alloc" + own.getSize(), "segment_map0")), "" + actions);
        Set<String> ofDefault = actions.getOrDefault(0L, Set.of());
        assertTrue(
            ofDefault.containsAll(Set.of("alloc" + common.getSize(), "segment_map0")),
            "" + actions);
        assertEquals(Set.of(0L, pool.getId()), actions.keySet());
      }
    }
  }

  @Test
  @DisplayName("45.4 have the blocks of a suspended pool, which lie in no segment")
  void suspended() throws IOException {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
        SimStream stream = backend.getDevice(0).createStream("copies");
        CachingAllocator allocator =
            CachingAllocator.builder(backend.getDevice(0)).history(1 << 20).build();
        PrivatePool pool = allocator.createPool();
        Allocation away = pool.getAllocator().allocate(3 << 20, stream);
        Allocation common = allocator.allocate(2000, stream)) {
      pool.suspend(Backup.NONE, stream);
      JsonNode root =
          new ObjectMapper()
              .valueToTree(
                  Unpickled.read(written(MemoryExport.of(allocator), ExportFormat.PYTORCH_PICKLE)));
      JsonNode listed = root.path("allocator_settings").path("suspended_0");
      assertEquals(1, listed.size(), "" + listed);
      assertEquals(away.getAddress(), listed.path(0).path("address").asLong());
      assertEquals(away.getSize(), listed.path(0).path("requested_size").asLong());
      assertEquals("active_allocated", listed.path(0).path("state").asText());
      assertEquals(
          common.getAddress(),
          root.path("segments").path(0).path("blocks").path(0).path("address").asLong());
    }
  }

  @Test
  @DisplayName("42.27 for Perfetto name the streams that have a name")
  void streamNames() throws IOException {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
        SimStream stream = backend.getDevice(0).createStream("copies");
        CachingAllocator allocator =
            CachingAllocator.builder(backend.getDevice(0)).history(1 << 20).build()) {
      allocator.allocate(3000, stream).close();
      String text =
          new String(
              written(MemoryExport.of(allocator), ExportFormat.PERFETTO), StandardCharsets.UTF_8);
      String words = "stream copies (0x" + Long.toHexString(stream.getHandle()) + ")";
      assertTrue(text.contains("\"" + words + "\""), text);
    }
  }
}
