package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.export.ExportFormat;
import org.vramkit.export.MemoryExport;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.HistoryEvent;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimStream;
import org.vramkit.tools.trace.ReservedBytes;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.TraceDetails;
import org.vramkit.tools.trace.Traces;

@DisplayName("42.10 A program's peaks are the same in statistics, history, exports and pages")
class EqualPeaksTest {
  /** What the caches of two streams may claim beyond their live bytes: their free blocks. */
  private static final long MOST_CLAIMED = 2 * 4 * ByteSize.MIB;

  /** Bytes of a recording that takes seconds to replay. */
  private static final long LARGE = 250_000;

  private static final int EFFORT = Integer.getInteger("vramkit.effort", 1);

  private static final List<ExportFormat> READABLE =
      List.of(ExportFormat.CSV, ExportFormat.PYTORCH_JSON, ExportFormat.PYTORCH_PICKLE);

  /**
   * The highest figures of one view of a program.
   *
   * @param requested most bytes that were asked for and in use at once
   * @param mapped most bytes of memory that lay at addresses at once
   */
  private record Peaks(long requested, long mapped) {}

  private static byte[] written(MemoryExport export, ExportFormat format) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    export.write(format, bytes);
    return bytes.toByteArray();
  }

  /** What a page draws: its reserved line never lies below its live memory. */
  private static Peaks ofPage(byte[] written) {
    Trace trace = Traces.readAll("t", new ByteArrayInputStream(written), true).get(0);
    assertEquals(List.of(), trace.getGaps());
    TraceDetails details = Objects.requireNonNull(trace.getDetails());
    ReservedBytes reserved = details.getReserved();
    int[] events = reserved.getEvents();
    long[] bytes = reserved.getBytes();
    long now = details.getReservedBefore();
    long live = 0;
    int point = 0;
    for (int i = 0; i < trace.getEventCount(); i++) {
      for (; point < events.length && events[point] <= i - trace.getHeldBefore(); point++) {
        now = bytes[point];
      }
      long size = trace.getSize(trace.getAllocation(i));
      live += trace.isAllocation(i) ? size : -size;
      assertTrue(live <= now, "event " + i + ": " + live + " live in " + now);
    }
    return new Peaks(trace.getRequestedPeakBytes(), reserved.getPeak());
  }

  private static Peaks ofPerfetto(byte[] written) throws IOException {
    long live = 0;
    long reserved = 0;
    for (JsonNode each : new ObjectMapper().readTree(written).path("traceEvents")) {
      if (each.path("args").has("reserved")) {
        live = Math.max(live, each.path("args").path("live").asLong());
        reserved = Math.max(reserved, each.path("args").path("reserved").asLong());
      }
    }
    return new Peaks(live, reserved);
  }

  /** The most bytes that users held at once; a block that waits for streams is nobody's. */
  private static long mostHeld(Iterable<HistoryEvent> history) {
    long held = 0;
    long most = 0;
    for (HistoryEvent each : history) {
      if (each.action() == HistoryEvent.Action.ALLOCATE) {
        held += each.size();
      } else if (each.action() == HistoryEvent.Action.FREE_REQUESTED) {
        held -= each.size();
      }
      most = Math.max(most, held);
    }
    return most;
  }

  private static Peaks ofHistory(Iterable<HistoryEvent> history, boolean overPages) {
    long requested = 0;
    long mapped = 0;
    Peaks peaks = new Peaks(0, 0);
    for (HistoryEvent each : history) {
      switch (each.action()) {
        case ALLOCATE -> requested += each.size();
        case FREE_COMPLETED -> requested -= each.size();
        case GROW, MOVE -> mapped += each.size();
        case UNMAP -> mapped -= each.size();
        // A segment goes back with its address; pages were unmapped before.
        case TRIM -> mapped -= overPages ? 0 : each.size();
        case FREE_REQUESTED, WAIT, OUT_OF_MEMORY -> {}
      }
      peaks = new Peaks(Math.max(peaks.requested(), requested), Math.max(peaks.mapped(), mapped));
    }
    return peaks;
  }

  private static boolean hasMoves(Iterable<HistoryEvent> history) {
    for (HistoryEvent each : history) {
      if (each.action() == HistoryEvent.Action.MOVE) {
        return true;
      }
    }
    return false;
  }

  private static void play(CachingAllocator allocator, Random random, List<Stream> streams) {
    List<Allocation> live = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      if (!live.isEmpty() && random.nextInt(5) < 2) {
        live.remove(random.nextInt(live.size())).close();
        continue;
      }
      try {
        int most = random.nextInt(4) == 0 ? 24 << 20 : 1 << 20;
        Stream stream = streams.get(random.nextInt(streams.size()));
        Allocation allocation = allocator.allocate(1 + random.nextInt(most), stream);
        live.add(allocation);
        if (random.nextInt(10) == 0) {
          allocation.recordUse(streams.get(random.nextInt(streams.size())));
        }
      } catch (DeviceOutOfMemoryException e) {
        while (live.size() > 10) {
          live.remove(random.nextInt(live.size())).close();
        }
      }
      if (random.nextInt(50) == 0) {
        allocator.trim(0);
      }
    }
    live.forEach(Allocation::close);
  }

  /** Checks all formats, or only the one that says most, of a long program. */
  private static void check(CachingAllocator allocator, boolean overPages, boolean allFormats)
      throws IOException {
    AllocatorStatistics statistics = allocator.getStatistics();
    Peaks history = ofHistory(allocator.getHistory(), overPages);
    long held = mostHeld(allocator.getHistory());
    long peak = statistics.requested().peak();
    assertTrue(held <= peak && peak <= held + MOST_CLAIMED, held + " held, peak " + peak);
    MemoryExport export = MemoryExport.of(allocator).withMaxEntries(Long.MAX_VALUE);
    for (ExportFormat format : allFormats ? READABLE : List.of(ExportFormat.CSV)) {
      assertEquals(history, ofPage(written(export, format)), format::toString);
    }
    if (allFormats) {
      assertEquals(history, ofPerfetto(written(export, ExportFormat.PERFETTO)), "Perfetto");
    }
    if (!hasMoves(allocator.getHistory())) {
      assertEquals(statistics.reserved().peak(), history.mapped(), "reserved");
    }
    // What moves lies at no address for a moment.
    assertTrue(history.mapped() <= statistics.reserved().peak(), "mapped");
  }

  @ParameterizedTest(name = "virtual memory {0}")
  @DisplayName("for random programs")
  @ValueSource(strings = {"on", "off"})
  void randomPrograms(String virtualMemory) throws IOException {
    DeviceProfile small =
        DeviceProfile.builder("small").from(DeviceProfile.H200).memory(256 * ByteSize.MIB).build();
    for (int seed = 0; seed < 15 * EFFORT; seed++) {
      try (SimBackend backend = simulated(small);
          SimStream second = backend.getDevice(0).createStream();
          CachingAllocator allocator =
              CachingAllocator.builder(backend.getDevice(0))
                  .history(4 * ByteSize.MIB)
                  .set("virtual-memory", virtualMemory)
                  .build()) {
        Random random = new Random(seed);
        play(allocator, random, List.of(backend.getDevice(0).getDefaultStream(), second));
        check(allocator, virtualMemory.equals("on"), true);
        assertEquals(0, backend.getHazardCount());
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private static SimBackend simulated(DeviceProfile profile) {
    return SimBackend.builder().device(profile).bytes(false).build();
  }

  /** The recordings; the largest files, with the longest programs, only at night. */
  private static List<Path> recorded() throws IOException {
    List<Path> recorded = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("..", "traces"))) {
      for (Path each : files) {
        if (EFFORT > 1 || Files.size(each) < LARGE) {
          recorded.add(each);
        }
      }
    }
    assertFalse(recorded.isEmpty());
    recorded.sort(null);
    return recorded;
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("for every recorded program")
  @MethodSource("recorded")
  void recordedPrograms(Path file) throws IOException {
    replay(file, "on");
    if (EFFORT > 1) {
      replay(file, "off");
    }
  }

  private static void replay(Path file, String virtualMemory) throws IOException {
    Trace trace = Traces.read(file);
    try (SimBackend backend = simulated(DeviceProfile.H200);
        CachingAllocator allocator =
            CachingAllocator.builder(backend.getDevice(0))
                .history(64 * ByteSize.MIB)
                .set("virtual-memory", virtualMemory)
                .build()) {
      List<Stream> streams = new ArrayList<>(List.of(backend.getDevice(0).getDefaultStream()));
      while (streams.size() < trace.getStreamCount()) {
        streams.add(backend.getDevice(0).createStream());
      }
      Allocation[] live = new Allocation[trace.getAllocationCount()];
      for (int i = 0; i < trace.getEventCount(); i++) {
        int number = trace.getAllocation(i);
        if (trace.isAllocation(i)) {
          Stream stream = streams.get(trace.getStream(number));
          live[number] = allocator.allocate(trace.getSize(number), stream);
        } else {
          live[number].close();
          live[number] = null;
        }
      }
      check(allocator, virtualMemory.equals("on"), EFFORT > 1);
      assertEquals(trace.getRequestedPeakBytes(), mostHeld(allocator.getHistory()));
      Arrays.stream(live).filter(Objects::nonNull).forEach(Allocation::close);
      streams.stream().skip(1).forEach(Stream::close);
    }
  }

  @Test
  @DisplayName("also if the history has dropped its oldest events, because earlier memory counts")
  void forgotten() throws IOException {
    for (int seed = 0; seed < 5; seed++) {
      try (SimBackend backend = simulated(DeviceProfile.H200);
          CachingAllocator allocator =
              CachingAllocator.builder(backend.getDevice(0)).history(64 * ByteSize.KIB).build()) {
        Random random = new Random(seed);
        try (Allocation weights = allocator.allocate(512 * ByteSize.MIB)) {
          assertEquals(0, weights.getStream().getHandle());
          while (allocator.getHistory().getLost() == 0) {
            play(allocator, random, List.of(backend.getDevice(0).getDefaultStream()));
          }
          MemoryExport export = MemoryExport.of(allocator);
          Peaks csv = ofPage(written(export, ExportFormat.CSV));
          assertTrue(csv.requested() >= 512 * ByteSize.MIB, csv::toString);
          assertEquals(csv, ofPerfetto(written(export, ExportFormat.PERFETTO)), "seed " + seed);
        }
      }
    }
  }
}
