package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Graph;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.sim.hazard.CheckerOptions;

/** What an H200 with driver 580.159 answered to the same calls of a program in C++. */
@DisplayName("57.1 As on an H200, the driver's own memory of")
class ContextMemoryTest {
  private static final long MIB = 1 << 20;
  private static final long PAGE = 2 * MIB;

  private final SimBackend backend =
      SimBackend.builder()
          .device(DeviceProfile.H200)
          .bytes(false)
          .checker(CheckerOptions.OFF)
          .build();
  private final SimDevice device = backend.getDevice(0);
  private final SimStream stream = device.createStream();
  private final long memory = device.getMemory().allocate(64 * MIB);
  private final List<Graph> graphs = new ArrayList<>();

  @AfterEach
  void close() {
    graphs.forEach(Graph::close);
    stream.close();
    backend.close();
  }

  private long free() {
    return device.getMemoryInfo().freeBytes();
  }

  private interface Work {
    void submit(int i);
  }

  private void small(int i) {
    stream.fill(memory + i * 4096L, (byte) 1, 9);
  }

  private void kernel(int i) {
    stream.launch(SimKernel.named("kernel " + i).writes(memory, 1).build());
  }

  /** Returns the graphs, by number, at which free memory fell, once for each page of 2 MiB. */
  private List<Integer> graphs(int count, int nodes, Work node) {
    List<Integer> falls = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long before = free();
      device.getGraphs().beginCapture(stream);
      IntStream.range(0, nodes).forEach(node::submit);
      graphs.add(device.getGraphs().endCapture(stream));
      for (long fallen = before - free(); fallen > 0; fallen -= PAGE) {
        falls.add(i);
      }
    }
    return falls;
  }

  private List<SimStream> streams(int count) {
    return IntStream.range(0, count).mapToObj(i -> device.createStream()).toList();
  }

  @Test
  @DisplayName("streams: 2 MiB for the second, and for every fourth; once, a page of their states")
  void streams() {
    List<Integer> falls = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      long before = free();
      device.createStream();
      if (free() < before) {
        falls.add(i);
      }
    }
    assertEquals(List.of(0, 4, 8, 12, 16, 20, 24, 28, 32, 34, 36, 40, 44, 48, 52, 56, 60), falls);
  }

  @Test
  @DisplayName("graphs: 112 KiB each, which stay with the driver and serve later graphs")
  void graphs() {
    assertEquals(List.of(0, 32, 34, 64, 77), graphs(80, 1, this::small));
    long before = free();
    graphs.forEach(Graph::close);
    assertEquals(before, free());
    assertEquals(List.of(), graphs(80, 1, this::small));
  }

  @Test
  @DisplayName("graphs beside 24 streams, which have states as well")
  void besideStreams() {
    streams(24);
    assertEquals(
        List.of(0, 10, 32, 53, 64, 96, 96, 128, 138, 160, 181, 192), graphs(200, 1, this::small));
  }

  @Test
  @DisplayName("graphs after 24 streams, in whose queues they have room")
  void afterStreams() {
    streams(24).forEach(SimStream::close);
    assertEquals(List.of(34, 77, 120, 162, 192), graphs(200, 1, this::small));
  }

  @Test
  @DisplayName("graphs without nodes: none")
  void empty() {
    assertEquals(List.of(), graphs(40, 0, this::small));
  }

  @Test
  @DisplayName("kernels in graphs: 1152 nodes a page, beside 512 bytes for each")
  void kernels() {
    assertEquals(
        List.of(0, 22, 32, 34, 45, 64, 68, 77, 80, 91, 96, 114, 120, 128, 137, 160, 160, 160, 162),
        graphs(180, 50, this::kernel));
  }

  @Test
  @DisplayName("copies on the device, and large fills, in graphs: as of kernels")
  void copies() {
    List<Integer> falls = List.of(0, 32, 34, 37, 64, 75, 77);
    assertEquals(
        falls, graphs(80, 30, i -> stream.copy(memory + 32 * MIB, memory + i * MIB, 99 + i)));
    graphs.forEach(Graph::close);
    graphs.clear();
    assertEquals(List.of(), graphs(80, 30, i -> stream.fill(memory, (byte) 1, MIB)));
  }

  @Test
  @DisplayName("closed graphs when memory runs out: queues go, states stay")
  void exhausted() {
    long first = free();
    graphs(300, 1, this::small);
    graphs.forEach(Graph::close);
    assertEquals(first - 34 * MIB, free());
    assertThrows(
        DeviceOutOfMemoryException.class, () -> device.getMemory().allocate(first + 120 * MIB));
    long spare = 126 * MIB;
    assertEquals(first - 14 * MIB + spare, free());
  }

  @Test
  @DisplayName("a graph for which there is too little: the graph is refused")
  void tooLittle() {
    long most = free() / PAGE * PAGE;
    long taken = device.getMemory().allocate(most);
    assertThrows(DeviceOutOfMemoryException.class, () -> graphs(1, 1, this::small));
    device.getMemory().free(taken);
    assertEquals(1, graphs(1, 1, this::small).size());
  }
}
