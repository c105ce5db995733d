package org.vramkit.pressure;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pressure.Scene.MIB;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.sim.SimStream;

@DisplayName("45 The flight recorder")
@Isolated("no other test makes parts meanwhile")
class FlightFiguresTest {
  @TempDir Path folder;

  private final Scene scene = new Scene(64);
  private final SimStream stream = scene.device.createStream();

  @AfterEach
  void nothingIsLost() {
    stream.close();
    scene.close();
  }

  /**
   * Returns the event of the newest part of each kind at the end of a recording. Other tests may
   * have left parts that are not yet garbage collected.
   */
  private Map<String, RecordedEvent> recorded(Runnable work) throws IOException {
    try (Recording recording = new Recording()) {
      // Emitted only at the end, however long the work takes.
      List.of("Admission", "Spill", "Retry", "Waiting")
          .forEach(
              each ->
                  recording
                      .enable("org.vramkit." + each + "Statistics")
                      .with("period", "endChunk"));
      recording.start();
      work.run();
      recording.stop();
      Path file = folder.resolve("run.jfr");
      recording.dump(file);
      return RecordingFile.readAllEvents(file).stream()
          .collect(
              Collectors.toMap(
                  each -> each.getEventType().getName(), each -> each, FlightFiguresTest::newer));
    }
  }

  private static RecordedEvent newer(RecordedEvent a, RecordedEvent b) {
    return a.getLong("part") > b.getLong("part") ? a : b;
  }

  private static RecordedEvent of(Map<String, RecordedEvent> events, String name) {
    return requireNonNull(events.get(name), name);
  }

  @Test
  @DisplayName("45 has the figures of each open part: admission, spilling, retry and waiting")
  void figures() throws IOException {
    Retry retry = Retry.over(scene.allocator);
    WaitingAllocator waiting = WaitingAllocator.over(scene.allocator, Duration.ZERO);
    long first;
    try (Admission gate = Admission.over(scene.allocator).build();
        Grant grant = gate.acquire(Demand.of("job", 20 * MIB), Duration.ZERO);
        SpillStore store = SpillStore.over(scene.allocator).hostLimit(64 * MIB).build();
        Spillable table = store.create(20 * MIB, 0);
        Allocation held = waiting.allocate(10 * MIB, stream)) {
      Admission.over(scene.allocator).build().close();
      Map<String, RecordedEvent> events =
          recorded(
              () -> {
                table.materialize(stream).close();
                store.spill(1);
                retry.withSplit("task", 2, each -> List.of(1, 1), (piece, memory) -> piece);
                assertThrows(
                    DeviceOutOfMemoryException.class, () -> waiting.allocate(60 * MIB, stream));
              });
      RecordedEvent admission = of(events, "org.vramkit.AdmissionStatistics");
      assertEquals(grant.getBytes(), admission.getLong("granted"));
      assertEquals(1, admission.getLong("running"));
      assertEquals(62 * MIB, admission.getLong("capacity"));
      assertEquals(0, admission.getInt("device"));
      RecordedEvent spill = of(events, "org.vramkit.SpillStatistics");
      assertEquals(20 * MIB, spill.getLong("onHost"));
      assertEquals(20 * MIB, spill.getLong("spilled"));
      assertEquals(0, spill.getLong("onDevice"));
      assertTrue(spill.getLong("part") > admission.getLong("part"), events.toString());
      RecordedEvent tasks = of(events, "org.vramkit.RetryStatistics");
      assertEquals(1, tasks.getLong("tasks"));
      first = tasks.getLong("part");
      RecordedEvent waits = of(events, "org.vramkit.WaitingStatistics");
      assertEquals(held.getSize(), waits.getLong("live"));
      assertEquals(1, waits.getLong("failed"));
      assertEquals(0, waits.getLong("waiting"));
    } finally {
      waiting.close();
    }
    Map<String, RecordedEvent> after = recorded(() -> {});
    after.remove("org.vramkit.RetryStatistics");
    after.forEach((name, event) -> assertTrue(event.getLong("part") < first, name + ": closed"));
    assertEquals(0, retry.getStatistics().running());
  }
}
