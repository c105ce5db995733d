package org.vramkit.tools.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The figures of the recorded traces, as they were measured when they were recorded. */
class RecordedTracesTest {

  @ParameterizedTest(name = "{0}")
  @DisplayName("Each recorded trace has exactly the allocations and the peak of its recording")
  @CsvSource({
    "gpt.csv.gz, CSV, 34603, 69203, 13168356160, 0",
    "growing.csv.gz, CSV, 10789, 21578, 4928261660, 0",
    "streams.csv.gz, CSV, 1509, 2913, 1932010384, 0",
    "serve.csv.gz, CSV, 16640, 33272, 784478208, 0",
    "fixed.csv.gz, CSV, 18019, 36038, 5197668552, 0",
    "gnn.csv.gz, CSV, 20925, 41849, 3853333991, 0",
    "prefetch.csv.gz, CSV, 15070, 30135, 371220484, 0",
    "snapshot-a.pickle, SNAPSHOT_PICKLE, 1101, 2181, 220050428, 1",
    "rmm-a.csv.gz, RMM, 8111, 16222, 1606655699, 0",
  })
  void figures(
      String file, TraceFormat format, int allocations, int events, long peak, long failures) {
    Trace trace = Traces.read(Path.of("..", "traces", file));
    assertEquals(format, trace.getFormat());
    assertEquals(allocations, trace.getAllocationCount());
    assertEquals(events, trace.getEventCount());
    assertEquals(peak, trace.getRequestedPeakBytes());
    assertEquals(failures, trace.getRecordedFailures());
    assertEquals(Map.of(), trace.getRepairs());
  }

  @Test
  @DisplayName("Every file beside them is a trace, so that traces/* can be replayed")
  void nothingElse() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("..", "traces"))) {
      files.forEach(file -> assertTrue(Traces.read(file).getEventCount() > 0, file::toString));
    }
  }
}
