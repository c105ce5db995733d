package org.vramkit.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("42.28 Out of memory, with -Dvramkit.snapshot-on-out-of-memory")
class OutOfMemorySnapshotTest {
  private static final String PROPERTY = "vramkit.snapshot-on-out-of-memory";
  private static final int MOST = 8;

  @TempDir private Path folder = Path.of("");

  @AfterEach
  void unset() {
    System.clearProperty(PROPERTY);
  }

  private static AllocatorOutOfMemoryException refusal(Allocator allocator) {
    return assertThrows(
        AllocatorOutOfMemoryException.class, () -> allocator.allocate(65 * ByteSize.MIB));
  }

  private static List<Path> in(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  /** One test, because the number of files is the process's. */
  @Test
  @DisplayName("a file is written for each of the first 8 errors, which name it; none fails for it")
  void files() throws IOException {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
        CachingAllocator allocator =
            CachingAllocator.builder(backend.getDevice(0))
                .limit(64 * ByteSize.MIB)
                .history(ByteSize.MIB)
                .build();
        PrivatePool pool = allocator.createPool();
        Allocation held = allocator.tagged("weights").allocate(3 * ByteSize.MIB)) {
      assertFalse(refusal(allocator).toString().contains("snapshot"), "not asked for");

      Path plain = Files.createFile(folder.resolve("file"));
      System.setProperty(PROPERTY, plain.toString());
      String failed = refusal(allocator).toString();
      assertTrue(failed.contains("; no snapshot for -D" + PROPERTY + ": "), failed);

      Path wanted = folder.resolve("made/for/it");
      System.setProperty(PROPERTY, wanted.toString());
      AllocatorOutOfMemoryException named = refusal(allocator);
      List<Path> files = in(wanted);
      assertEquals(1, files.size());
      assertTrue(named.toString().endsWith("; snapshot: " + files.get(0)), named.toString());
      assertEquals(65 * ByteSize.MIB, named.getReport().requestedBytes());
      assertEquals(held.getAddress(), liveAddress(files.get(0)));

      refusal(pool.getAllocator());
      for (int i = 3; i < MOST; i++) {
        refusal(allocator);
      }
      assertFalse(refusal(allocator).toString().contains("snapshot"), "the 9th");
      assertEquals(MOST - 1, in(wanted).size());
    }
  }

  /** The address of the block of the tag, from a file whose last event is the refusal. */
  private static long liveAddress(Path file) throws IOException {
    JsonNode memory = new ObjectMapper().valueToTree(Unpickled.read(Files.readAllBytes(file)));
    JsonNode events = memory.path("device_traces").path(0);
    assertEquals("oom", events.path(events.size() - 1).path("action").asText());
    for (JsonNode segment : memory.path("segments")) {
      for (JsonNode block : segment.path("blocks")) {
        if (block.path("user_metadata").asText().equals("weights")) {
          return block.path("address").asLong();
        }
      }
    }
    throw new AssertionError(memory.toString());
  }
}
