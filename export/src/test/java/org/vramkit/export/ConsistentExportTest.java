package org.vramkit.export;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.AllocatorHistory;
import org.vramkit.pool.caching.AllocatorRecording;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.HistoryEvent;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.CheckerOptions;

@DisplayName("42.19 An export does not contradict itself: it")
class ConsistentExportTest {
  @Test
  @DisplayName("ends with the size and tag of the block that replaced an earlier one")
  void anotherBlock() throws IOException {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build();
        SimStream stream = backend.getDevice(0).createStream();
        CachingAllocator allocator =
            CachingAllocator.builder(backend.getDevice(0)).history(1 << 16).build()) {
      Allocation before = allocator.tagged("before").allocate(4096, stream);
      AllocatorHistory history = allocator.getHistory();
      long address = before.getAddress();
      before.close();
      try (Allocation after = allocator.tagged("after").allocate(4000, stream)) {
        assertEquals(address, after.getAddress());
        JsonNode root =
            RecordingsTest.unpickled(
                MemoryExport.of(allocator.getDevice(), allocator.getSnapshot(), history));
        SnapshotRules.check(root);
        JsonNode trace = root.path("device_traces").path(0);
        JsonNode last = trace.path(trace.size() - 1);
        assertEquals("alloc", last.path("action").asText());
        assertEquals(4000, last.path("size").asInt());
        assertEquals("after", last.path("user_metadata").asText());
      }
    }
  }

  /** Allocates and frees blocks of a few sizes, whose tag says how large they are. */
  private static void churn(CachingAllocator allocator, int seed) {
    Random random = new Random(seed);
    List<Allocation> held = new ArrayList<>();
    try (Stream stream = allocator.getDevice().createStream()) {
      for (int i = 0; i < 10_000; i++) {
        int bytes = 1 + random.nextInt(4_000);
        held.add(allocator.tagged(bytes < 2_000 ? "small" : "large").allocate(bytes, stream));
        if (held.size() > 4) {
          held.remove(random.nextInt(held.size())).close();
        }
      }
      held.forEach(Allocation::close);
    }
  }

  @Test
  @DisplayName("tells what happened while threads ran, and nothing else")
  @Tag("nightly")
  void besideThreads() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try (SimBackend backend =
            SimBackend.builder().device(DeviceProfile.H200).checker(CheckerOptions.OFF).build();
        CachingAllocator allocator =
            CachingAllocator.builder(backend.getDevice(0)).history(16 << 20).build()) {
      List<Future<?>> churning = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        int seed = i;
        churning.add(threads.submit(() -> churn(allocator, seed)));
      }
      do {
        AllocatorRecording now = allocator.getRecording();
        assertEquals(0, now.history().getLost());
        JsonNode root =
            RecordingsTest.unpickled(
                MemoryExport.of(allocator.getDevice(), now.snapshot(), now.history())
                    .withMaxEntries(Long.MAX_VALUE));
        SnapshotRules.check(root);
        int known = 0;
        for (HistoryEvent each : now.history()) {
          known += each.action() == HistoryEvent.Action.ALLOCATE ? 1 : 0;
        }
        int told = 0;
        for (JsonNode each : root.path("device_traces").path(0)) {
          told += each.path("action").asText().equals("alloc") ? 1 : 0;
        }
        assertEquals(known, told);
      } while (churning.stream().anyMatch(each -> !each.isDone()));
      for (Future<?> each : churning) {
        each.get();
      }
      SnapshotRules.check(RecordingsTest.unpickled(MemoryExport.of(allocator)));
    } finally {
      threads.shutdown();
    }
  }
}
