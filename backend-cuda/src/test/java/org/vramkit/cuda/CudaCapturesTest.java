package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.CaptureException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("57.6 A stream of one CUDA device in the capture of another")
class CudaCapturesTest {
  private final List<String> warnings = new ArrayList<>();
  private final CudaBackend backend =
      new CudaBackend(
          "cuda",
          new SimulatedDriver(
              SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.H200).build()),
          new ProcessHealth(),
          warnings::add);
  private final Device first = backend.getDevice(0);
  private final Device second = backend.getDevice(1);
  private final Graphs ours = first.getGraphs();
  private final Graphs theirs = second.getGraphs();
  private final Stream origin = first.createStream();
  private final Stream joined = second.createStream();
  private final Event fork = first.createEvent();
  private final Event join = second.createEvent();
  private final List<String> heard = new ArrayList<>();

  CudaCapturesTest() {
    theirs.addCaptureListener(() -> heard.add(theirs.isAnyCaptured() ? "begins" : "ends"));
  }

  @AfterEach
  void nothingLeft() {
    assertEquals("false false false", state());
    assertFalse(backend.isAnyCapturing());
    List.of(fork, join).forEach(Event::close);
    List.of(origin, joined).forEach(Stream::close);
    backend.close();
    assertEquals(List.of(), warnings);
  }

  private String state() {
    return theirs.isAnyCapturing() + " " + theirs.isAnyCaptured() + " " + theirs.hasOpenGraphs();
  }

  private void begin() {
    ours.beginCapture(origin);
    fork.record(origin);
  }

  @Test
  @DisplayName("counts for its device from its wait to the end of the capture, then as a graph")
  void counted() {
    begin();
    assertEquals("false false false", state());
    joined.waitFor(fork);
    joined.waitFor(fork);
    assertEquals("false true false", state());
    join.record(joined);
    origin.waitFor(join);
    try (Graph graph = ours.endCapture(origin)) {
      assertFalse(graph.isClosed());
      assertEquals("false false true", state());
    }
    assertEquals(List.of("begins", "ends"), heard);
    begin();
    ours.endCapture(origin).close();
    assertEquals(List.of("begins", "ends"), heard, "no stream has joined this one");
  }

  @Test
  @DisplayName("joins through another joined stream, and by no event of before or after")
  void chain() {
    Event before = first.createEvent();
    before.record(origin);
    begin();
    Stream middle = first.createStream();
    middle.waitFor(fork);
    joined.waitFor(before);
    assertEquals("false false false", state());
    Event step = first.createEvent();
    step.record(middle);
    joined.waitFor(step);
    assertEquals("false true false", state());
    join.record(joined);
    origin.waitFor(join);
    ours.endCapture(origin).close();
    assertThrows(RuntimeException.class, () -> joined.waitFor(step), "an event of a past capture");
    assertEquals("false false false", state());
    List.of(before, step).forEach(Event::close);
    middle.close();
  }

  @Test
  @DisplayName("ends with a capture that has failed, also for a stream that was closed")
  void failed() {
    begin();
    try (Stream brief = second.createStream()) {
      brief.waitFor(fork);
      brief.fill(0, (byte) 0, 0);
    }
    assertEquals("false true false", state(), "the work of a closed stream is captured");
    joined.waitFor(fork);
    assertThrows(CaptureException.class, joined::isIdle);
    assertEquals("false true false", state());
    assertThrows(CaptureException.class, () -> ours.endCapture(origin));
  }

  @Test
  @DisplayName("ends with the stream on which the capture began")
  void closedOrigin() {
    try (Stream brief = first.createStream()) {
      ours.beginCapture(brief);
      fork.record(brief);
      joined.waitFor(fork);
      assertEquals("false true false", state());
    }
  }

  @Test
  @DisplayName("has not joined if the driver refuses the wait")
  void refused() {
    begin();
    assertThrows(CaptureException.class, () -> second.getDefaultStream().waitFor(fork));
    assertEquals("false false false", state());
    assertThrows(CaptureException.class, () -> ours.endCapture(origin));
  }

  @Test
  @DisplayName("leaves the two captures of two streams apart")
  void bothCapture() {
    begin();
    theirs.beginCapture(joined);
    assertThrows(CaptureException.class, () -> joined.waitFor(fork), "a stream has one capture");
    assertThrows(CaptureException.class, () -> theirs.endCapture(joined));
    assertEquals("false false false", state());
    assertThrows(CaptureException.class, () -> ours.endCapture(origin));
  }
}
