package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Graph;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardReport;

@DisplayName("Stacks and threads of reports")
class ReportStacksTest {

  private static SimBackend backend(boolean stacks) {
    return SimBackend.builder()
        .device(DeviceProfile.SMALL_8GIB)
        .checker(CheckerOptions.DEFAULT.withStacks(stacks))
        .build();
  }

  private static void produce(SimStream stream, long memory) {
    stream.launch(SimKernel.named("produce").writes(memory, 16).build());
  }

  private static HazardReport race(SimBackend backend) {
    SimDevice device = backend.getDevice(0);
    long memory = device.getMemory().allocate(16);
    produce(device.createStream("a"), memory);
    produce(device.createStream("b"), memory);
    List<HazardReport> hazards = backend.getHazards();
    assertEquals(1, hazards.size(), hazards::toString);
    return hazards.get(0);
  }

  @Test
  @DisplayName("1 both accesses and the allocation begin with the line of the user who made them")
  void stacks() {
    try (SimBackend backend = backend(true)) {
      HazardReport report = race(backend);
      Access earlier = Objects.requireNonNull(report.earlier());
      Access allocated =
          Objects.requireNonNull(Objects.requireNonNull(report.memory()).allocated());
      assertEquals("produce", earlier.stack().get(0).getMethodName());
      assertEquals("produce", report.later().stack().get(0).getMethodName());
      assertEquals("race", allocated.stack().get(0).getMethodName());
      assertTrue(
          earlier.stack().get(1).getLineNumber() < report.later().stack().get(1).getLineNumber());
      assertTrue(report.toString().lines().count() <= 40, report.toString());
      assertTrue(report.toString().contains("at " + earlier.stack().get(0)), report.toString());
    }
  }

  @Test
  @DisplayName("Without stacks there are none, and the rest of the report is the same")
  void none() {
    try (SimBackend with = backend(true);
        SimBackend without = backend(false)) {
      HazardReport plain = race(without);
      assertEquals(List.of(), plain.later().stack());
      assertEquals(plain.toString(), withoutFrames(race(with)));
    }
  }

  private static String withoutFrames(HazardReport report) {
    return report.toString().replaceAll("(?m)^\\s+at .*\\R", "");
  }

  @Test
  @DisplayName("An access names the host thread that submitted it, not the thread that queries")
  void thread() throws InterruptedException, ExecutionException {
    try (SimBackend backend = backend(false)) {
      FutureTask<HazardReport> task = new FutureTask<>(() -> race(backend));
      Thread worker = new Thread(task, "loader-7");
      worker.start();
      assertEquals("loader-7", task.get().later().thread());
      worker.join();
    }
  }

  private static void read(SimStream stream, long memory) {
    stream.launch(SimKernel.named("consume").reads(memory, 16).build());
  }

  @Test
  @DisplayName("a race inside a graph has the lines where its work was captured, then the launch's")
  void captured() {
    try (SimBackend backend = backend(true)) {
      SimDevice device = backend.getDevice(0);
      long memory = device.getMemory().allocate(16);
      SimStream first = device.createStream("a");
      SimStream second = device.createStream("b");
      device.getGraphs().beginCapture(first);
      try (SimEvent fork = device.createEvent();
          SimEvent join = device.createEvent()) {
        fork.record(first);
        second.waitFor(fork);
        produce(first, memory);
        read(second, memory);
        join.record(second);
        first.waitFor(join);
      }
      try (Graph graph = device.getGraphs().endCapture(first)) {
        graph.launch(first);
        first.synchronize();
      }
      HazardReport report = backend.getHazards().get(0);
      List<StackTraceElement> later = report.later().stack();
      assertEquals("read", later.get(0).getMethodName());
      assertEquals("captured", later.get(1).getMethodName());
      assertEquals(
          "produce", Objects.requireNonNull(report.earlier()).stack().get(0).getMethodName());
      assertEquals(
          2, later.stream().filter(line -> line.getMethodName().equals("captured")).count());
    }
  }
}
