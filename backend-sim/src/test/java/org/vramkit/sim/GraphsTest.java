package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.Scene.SIZE;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;

@DisplayName("Captured work")
class GraphsTest {
  private final Scene scene = new Scene();
  private final Graphs graphs = scene.device.getGraphs();

  private static void fillAndCopy(Scene scene, int value) {
    scene.s1.fill(scene.block, (byte) value, SIZE / 2);
    scene.s1.copy(scene.block + SIZE / 2, scene.block, SIZE / 2);
  }

  private byte[] bytes(long address, int count) {
    ByteBuffer bytes = ByteBuffer.allocate(count);
    scene.s1.copyToHost(bytes, address);
    return bytes.array();
  }

  @Test
  @DisplayName(
      "runs nothing during the capture and everything at each launch, for the cost of one call")
  void launches() {
    scene.s1.fill(scene.block, (byte) 1, SIZE);
    graphs.beginCapture(scene.s1);
    assertTrue(graphs.isCapturing(scene.s1));
    assertTrue(graphs.isAnyCapturing());
    fillAndCopy(scene, 7);
    Graph graph = graphs.endCapture(scene.s1);
    assertFalse(graphs.isCapturing(scene.s1));
    assertFalse(graphs.isAnyCapturing());
    assertEquals(1, bytes(scene.block + SIZE - 1, 1)[0]);
    for (int i = 0; i < 3; i++) {
      scene.s1.fill(scene.block, (byte) 2, SIZE);
      long before = scene.backend.getDriverCalls().getTotal();
      graph.launch(scene.s1);
      assertEquals(1, scene.backend.getDriverCalls().getTotal() - before);
      assertEquals(7, bytes(scene.block + SIZE - 1, 1)[0]);
    }
    graph.close();
    graph.close();
    assertThrows(ClosedException.class, () -> graph.launch(scene.s1));
  }

  @Test
  @DisplayName("has kernels and host functions called with every launch, in the order of the graph")
  void bodies() {
    List<String> calls = new ArrayList<>();
    graphs.beginCapture(scene.s1);
    scene.s1.launch(SimKernel.named("k").body(bytes -> calls.add("kernel")).build());
    scene.order(scene.s1, scene.s2);
    scene.s2.callHost("f", () -> calls.add("host"));
    scene.order(scene.s2, scene.s1);
    try (Graph graph = graphs.endCapture(scene.s1)) {
      assertEquals(List.of(), calls);
      graph.launch(scene.s3);
      graph.launch(scene.s2);
      scene.s2.synchronize();
    }
    assertEquals(List.of("kernel", "host", "kernel", "host"), calls);
    scene.expect();
  }

  /** A call that a capture of the first stream does not go with. */
  private record Case(String name, int status, boolean spoils, Call call) {
    interface Call {
      void make(Scene scene, SimEvent captured);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> refused() {
    return Stream.of(
        new Case("cuStreamSynchronize", 900, true, (s, e) -> s.s1.synchronize()),
        new Case("cuStreamQuery", 900, true, (s, e) -> s.s1.isIdle()),
        new Case("cuCtxSynchronize", 900, true, (s, e) -> s.device.synchronize()),
        new Case("cuMemAlloc", 900, true, (s, e) -> s.device.getMemory().allocate(64)),
        new Case("cuMemFree", 900, true, (s, e) -> s.device.getMemory().free(s.block)),
        new Case("cuEventQuery", 907, true, (s, e) -> relaxed(s, e::isComplete)),
        new Case("cuEventSynchronize", 907, true, (s, e) -> relaxed(s, e::synchronize)),
        new Case("cuEventSynchronize", 907, true, (s, e) -> e.synchronize()),
        new Case("cuStreamEndCapture", 903, true, (s, e) -> endJoined(s, e)),
        new Case("cuStreamSynchronize", 900, true, (s, e) -> s.s2.synchronize()),
        new Case("cuStreamQuery", 900, true, (s, e) -> s.s2.isIdle()),
        new Case("cuMemPoolCreate", 900, true, (s, e) -> s.device.getDriverPools().create(0)),
        new Case(
            "cuStreamWaitEvent",
            905,
            true,
            (s, e) -> {
              try (SimEvent outside = s.device.createEvent()) {
                outside.record(s.s2);
                s.s1.waitFor(outside);
              }
            }),
        new Case(
            "cuStreamWaitEvent",
            902,
            true,
            (s, e) -> {
              s.device.getGraphs().beginCapture(s.s2);
              try {
                s.s2.waitFor(e);
              } finally {
                assertThrows(CaptureException.class, () -> s.device.getGraphs().endCapture(s.s2));
              }
            }),
        new Case(
            "a stream that you created",
            0,
            false,
            (s, e) -> s.device.getGraphs().beginCapture(s.device.getDefaultStream())),
        new Case("none is in progress", 0, false, (s, e) -> s.device.getGraphs().endCapture(s.s2)),
        new Case(
            "is captured already", 0, false, (s, e) -> s.device.getGraphs().beginCapture(s.s1)),
        new Case(
            "allocate in stream order",
            0,
            false,
            (s, e) -> s.device.getStreamOrderedMemory().allocate(64, s.s1)),
        new Case(
            "not page-locked",
            0,
            false,
            (s, e) -> s.s1.copyToDevice(s.block, ByteBuffer.allocate(8))),
        new Case(
            "wait for gate", 0, false, (s, e) -> s.s1.waitFor(s.backend.createGate("closed"))));
  }

  private static void endJoined(Scene scene, SimEvent event) {
    scene.s2.waitFor(event);
    scene.device.getGraphs().endCapture(scene.s2);
  }

  @SuppressWarnings("try") // the relaxation is held, not used
  private static void relaxed(Scene scene, Runnable call) {
    try (Graphs.Relaxation relaxation = scene.device.getGraphs().relax()) {
      call.run();
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refused")
  @DisplayName(
      "refuses what cannot be captured, by name and reason, and says at its end if it is spoilt")
  void refusals(Case each) {
    try (SimEvent event = scene.device.createEvent()) {
      graphs.beginCapture(scene.s1);
      event.record(scene.s1);
      CaptureException refusal =
          assertThrows(CaptureException.class, () -> each.call().make(scene, event));
      assertEquals(each.status(), refusal.getStatus().code(), refusal.toString());
      assertTrue(refusal.toString().contains(each.name()), refusal.toString());
      if (each.spoils()) {
        assertStatus(901, () -> scene.s1.fill(scene.block, (byte) 1, 8));
        assertStatus(901, () -> graphs.endCapture(scene.s1));
      } else {
        graphs.endCapture(scene.s1).close();
      }
    }
    assertFalse(graphs.isCapturing(scene.s1));
    scene.write(scene.s1);
    scene.expect();
  }

  private static void assertStatus(int code, Runnable call) {
    CaptureException refusal = assertThrows(CaptureException.class, call::run);
    assertEquals(code, refusal.getStatus().code(), refusal.toString());
  }

  @Test
  @DisplayName("has to be joined before its end")
  void unjoined() {
    graphs.beginCapture(scene.s1);
    scene.order(scene.s1, scene.s2);
    scene.write(scene.s2);
    assertStatus(DriverStatus.STREAM_CAPTURE_UNJOINED, () -> graphs.endCapture(scene.s1));
    assertFalse(graphs.isCapturing(scene.s2));
  }

  @Test
  @DisplayName("need not join a stream that was given nothing")
  void forkedForNothing() {
    graphs.beginCapture(scene.s1);
    scene.write(scene.s1);
    scene.order(scene.s1, scene.s2);
    graphs.endCapture(scene.s1).close();
  }

  @Test
  @DisplayName("does not concern other threads, but for its end, which no other one survives")
  void threads() {
    graphs.beginCapture(scene.s1);
    CompletableFuture.runAsync(
            () -> {
              scene.device.getMemory().free(scene.device.getMemory().allocate(64));
            })
        .join();
    relaxed(scene, () -> scene.device.getMemory().free(scene.device.getMemory().allocate(64)));
    CompletableFuture.runAsync(
            () ->
                assertStatus(
                    DriverStatus.STREAM_CAPTURE_WRONG_THREAD, () -> graphs.endCapture(scene.s1)))
        .join();
    assertFalse(graphs.isCapturing(scene.s1));
    assertStatus(0, () -> graphs.endCapture(scene.s1));
  }

  @Test
  @DisplayName("of a blocking stream forbids the default stream; of a non-blocking one it does not")
  void defaultStream() {
    graphs.beginCapture(scene.s1);
    scene.device.getDefaultStream().fill(scene.block, (byte) 1, 8);
    graphs.endCapture(scene.s1).close();
    SimStream blocking = scene.device.createStream(StreamKind.BLOCKING);
    graphs.beginCapture(blocking);
    assertStatus(
        DriverStatus.STREAM_CAPTURE_IMPLICIT,
        () -> scene.device.getDefaultStream().fill(scene.block, (byte) 1, 8));
    assertStatus(901, () -> graphs.endCapture(blocking));
  }

  @Test
  @DisplayName("leaves no event behind that could be waited for, until it is recorded anew")
  void capturedEvents() {
    try (SimEvent event = scene.device.createEvent()) {
      graphs.beginCapture(scene.s1);
      event.record(scene.s1);
      graphs.endCapture(scene.s1).close();
      assertThrows(InvalidArgumentException.class, event::isComplete);
      assertThrows(InvalidArgumentException.class, event::synchronize);
      assertThrows(InvalidArgumentException.class, () -> scene.s2.waitFor(event));
      event.record(scene.s1);
      event.synchronize();
      scene.s2.waitFor(event);
    }
  }

  @Test
  @DisplayName("is launched on streams of its device that are not captured")
  void wrongStreams() {
    graphs.beginCapture(scene.s1);
    try (Graph graph = graphs.endCapture(scene.s1);
        SimStream other = scene.other.createStream()) {
      assertThrows(InvalidArgumentException.class, () -> graph.launch(other));
      graphs.beginCapture(scene.s1);
      assertThrows(CaptureException.class, () -> graph.launch(scene.s1));
      graphs.endCapture(scene.s1).close();
      graph.launch(scene.s1);
    }
  }

  @Test
  @DisplayName("is reported to listeners, on whichever stream")
  void listeners() {
    List<Boolean> heard = new ArrayList<>();
    Runnable listener = () -> heard.add(graphs.isAnyCapturing());
    graphs.addCaptureListener(listener);
    graphs.beginCapture(scene.s1);
    graphs.beginCapture(scene.s2);
    graphs.endCapture(scene.s1).close();
    scene.s2.close();
    graphs.removeCaptureListener(listener);
    graphs.beginCapture(scene.s3);
    graphs.endCapture(scene.s3).close();
    assertEquals(List.of(true, false), heard);
  }

  @Test
  @DisplayName("made of nodes runs in their order, and races without one")
  void nodes() {
    SimGraphNode fill =
        scene.device.defineNode(stream -> stream.fill(scene.block, (byte) 7, SIZE / 2));
    SimGraphNode copy =
        scene.device.defineNode(
            stream -> stream.copy(scene.block + SIZE / 2, scene.block, SIZE / 2));
    List<SimGraphNode> both = List.of(fill, copy);
    Graph ordered = scene.device.createGraph(both, List.of(Set.of(), Set.of(0)), null);
    ordered.launch(scene.s1);
    assertEquals(7, bytes(scene.block + SIZE - 1, 1)[0]);
    assertEquals(List.of(), scene.backend.getHazards());
    Graph unordered = scene.device.createGraph(both, List.of(Set.of(), Set.of()), ordered);
    unordered.launch(scene.s1);
    scene.s1.synchronize();
    assertEquals(1, scene.backend.getHazards().size());
  }

  @Test
  @DisplayName("reads pageable memory when a launch runs, if the driver's copy was captured")
  void pageable() {
    byte[] source = {1};
    scene.device.beginCapture(scene.s1, 0);
    scene.s1.captureFromPageable(scene.block, 1, () -> ByteBuffer.wrap(source));
    byte[] target = {0};
    scene.s1.captureToPageable(bytes -> bytes.get(target), scene.block, 1);
    Graph graph = graphs.endCapture(scene.s1);
    source[0] = 2;
    graph.launch(scene.s1);
    scene.s1.synchronize();
    assertEquals(2, target[0]);
  }

  @Test
  @DisplayName("of a mode refuses the unsafe calls of other threads, or none")
  void modes() {
    scene.device.beginCapture(scene.s1, 0);
    CompletableFuture<Long> other =
        CompletableFuture.supplyAsync(() -> scene.device.getMemory().allocate(1));
    assertThrows(CompletionException.class, other::join);
    assertEquals(SimDevice.CaptureState.INVALIDATED, scene.device.getCaptureState(scene.s1));
    assertThrows(CaptureException.class, () -> graphs.endCapture(scene.s1));
    scene.device.beginCapture(scene.s1, 2);
    scene.device.getMemory().allocate(1);
    Graph graph = CompletableFuture.supplyAsync(() -> graphs.endCapture(scene.s1)).join();
    assertFalse(graph.isClosed());
  }
}
