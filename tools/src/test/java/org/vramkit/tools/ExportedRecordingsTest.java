package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.export.ExportFormat;
import org.vramkit.export.MemoryExport;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.TraceDetails;
import org.vramkit.tools.trace.TraceException;
import org.vramkit.tools.trace.TraceFormat;
import org.vramkit.tools.trace.Traces;

@DisplayName("Exported recordings")
class ExportedRecordingsTest {
  @ParameterizedTest
  @DisplayName("22.2 are readable by a replay")
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

  @ParameterizedTest
  @DisplayName("42.6 of several allocators are a trace of each device")
  @EnumSource(names = {"PYTORCH_PICKLE", "PYTORCH_JSON"})
  void severalDevices(ExportFormat format) {
    try (SimBackend backend =
            SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.H200).build();
        CachingAllocator first = recording(backend.getDevice(0));
        CachingAllocator second = recording(backend.getDevice(1))) {
      for (int i = 0; i < 9; i++) {
        first.allocate(1000).close();
      }
      second.allocate(5 << 20).close();
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      MemoryExport.of(first, second).write(format, bytes);
      List<Trace> traces =
          Traces.readAll("both", new ByteArrayInputStream(bytes.toByteArray()), true);
      assertEquals(2, traces.size());
      assertEquals(18, traces.get(0).getEventCount());
      assertEquals("both, device 1", traces.get(1).getName());
      assertEquals(5 << 20, traces.get(1).getRequestedPeakBytes());
      traces.forEach(each -> assertEquals(List.of(), each.getGaps()));
    }
  }

  @ParameterizedTest
  @DisplayName("42.10 hold the memory that is closed and still in use by other streams")
  @EnumSource(names = {"PYTORCH_PICKLE", "PYTORCH_JSON"})
  void pending(ExportFormat format) {
    SimKernel endless = SimKernel.named("long").taking(1_000_000_000).build();
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build();
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        SimStream other = backend.getDevice(0).createStream()) {
      Allocation block = allocator.allocate(8 << 20);
      other.launch(endless);
      block.recordUse(other);
      block.close();
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      MemoryExport.of(allocator).write(format, bytes);
      Trace trace =
          Traces.readAll("moment", new ByteArrayInputStream(bytes.toByteArray()), true).get(0);
      assertTrue(trace.isMoment());
      assertEquals(8 << 20, trace.getHeldBeforeBytes());
      TraceDetails details = Objects.requireNonNull(trace.getDetails());
      assertEquals("pending free", details.getTags().get(details.getOrigin(0).tag()));
    }
  }

  private static CachingAllocator recording(Device device) {
    return CachingAllocator.builder(device).history(ByteSize.MIB).build();
  }

  @Test
  @DisplayName("42.8 for Perfetto are refused with the formats that can be read")
  void perfetto() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build();
        CachingAllocator allocator = recording(backend.getDevice(0))) {
      allocator.allocate(1000).close();
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      MemoryExport.of(allocator).write(ExportFormat.PERFETTO, bytes);
      TraceException refused =
          assertThrows(
              TraceException.class,
              () -> Traces.read("p", new ByteArrayInputStream(bytes.toByteArray())));
      String message = String.valueOf(refused.getMessage());
      assertTrue(message.contains("trace events") && message.contains("CSV"), message);
    }
  }
}
