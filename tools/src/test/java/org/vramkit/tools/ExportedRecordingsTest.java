package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.export.ExportFormat;
import org.vramkit.export.MemoryExport;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.TraceFormat;
import org.vramkit.tools.trace.Traces;

@DisplayName("Exported recordings")
class ExportedRecordingsTest {
  @ParameterizedTest
  @DisplayName("22.2 are traces that a replay reads")
  @CsvSource({"PYTORCH_PICKLE,SNAPSHOT_PICKLE", "PYTORCH_JSON,SNAPSHOT_JSON", "CSV,CSV"})
  void read(ExportFormat written, TraceFormat read) {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build();
        CachingAllocator allocator =
            CachingAllocator.builder(backend.getDevice(0)).history(ByteSize.MIB).build()) {
      Random random = new Random(3);
      List<Allocation> live = new ArrayList<>();
      for (int i = 0; i < 3000; i++) {
        if (live.size() > 50) {
          live.remove(random.nextInt(live.size())).close();
        }
        live.add(allocator.tagged("a, \"b\"").allocate(1 + random.nextInt(1 << 22)));
      }
      assertThrows(DeviceOutOfMemoryException.class, () -> allocator.allocate(1L << 45).close());
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      MemoryExport.of(allocator).write(written, bytes);
      Trace trace = Traces.read("recorded", new ByteArrayInputStream(bytes.toByteArray()));
      assertEquals(read, trace.getFormat());
      assertEquals(3000, trace.getAllocationCount());
      assertEquals(3000 + 3000 - live.size(), trace.getEventCount());
      assertEquals(allocator.getStatistics().requested().peak(), trace.getRequestedPeakBytes());
      live.forEach(Allocation::close);
    }
  }
}
