package org.vramkit.pool.caching.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graph;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PoolCapture;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("A graph with memory of a private pool, launched 100 times")
class GraphProgramsTest {
  private static final int LAUNCHES = 100;
  private static final long BYTES = ByteSize.MIB;

  /** What a program has at hand. */
  private record Desk(CachingAllocator allocator, SimStream stream, SimStream side) {
    Allocation allocate() {
      return allocator.allocate(BYTES, stream);
    }

    static void write(SimStream on, Allocation block) {
      on.launch(SimKernel.named("write").writes(block.getAddress(), BYTES).build());
    }

    static void read(SimStream on, Allocation block) {
      on.launch(SimKernel.named("read").reads(block.getAddress(), BYTES).build());
    }

    void order(SimStream before, SimStream after) {
      try (Event event = stream.getDevice().createEvent()) {
        event.record(before);
        after.waitFor(event);
      }
    }

    /** A scratch block that both streams use, closed in the capture; then another one. */
    void work(boolean recorded) {
      try (Allocation scratch = allocate()) {
        write(stream, scratch);
        order(stream, side);
        read(side, scratch);
        if (recorded) {
          scratch.recordUse(side);
        }
      }
      try (Allocation next = allocate()) {
        write(stream, next);
      }
      order(side, stream);
    }
  }

  /** Captures into a pool, launches and closes. */
  private interface Program {
    void run(Desk desk, PrivatePool pool);
  }

  private record Case(String name, Set<HazardCode> expected, Program program) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Graph scratch(Desk desk, PrivatePool pool, boolean recorded) {
    try (PoolCapture capture = pool.capture(desk.stream)) {
      desk.work(recorded);
      return capture.end();
    }
  }

  private static void scratchLaunched(Desk desk, PrivatePool pool, boolean recorded) {
    try (Graph graph = scratch(desk, pool, recorded)) {
      for (int i = 0; i < LAUNCHES; i++) {
        graph.launch(i % 2 == 0 ? desk.stream : desk.side);
      }
    }
  }

  /** The output of each launch is read by another stream. */
  private static void output(Desk desk, PrivatePool pool, boolean back) {
    Allocation output;
    Graph graph;
    try (PoolCapture capture = pool.capture(desk.stream)) {
      output = desk.allocate();
      Desk.write(desk.stream, output);
      graph = capture.end();
    }
    for (int i = 0; i < LAUNCHES; i++) {
      graph.launch(desk.stream);
      desk.order(desk.stream, desk.side);
      Desk.read(desk.side, output);
      if (back) {
        desk.order(desk.side, desk.stream);
      }
    }
    desk.side.synchronize();
    output.close();
    graph.close();
  }

  /** Two graphs of one pool share its memory. */
  private static void twoGraphs(Desk desk, PrivatePool pool, boolean ordered) {
    Graph one = scratch(desk, pool, true);
    Graph other = scratch(desk, pool, true);
    for (int i = 0; i < LAUNCHES; i++) {
      one.launch(desk.stream);
      other.launch(ordered ? desk.stream : desk.side);
    }
    one.close();
    other.close();
  }

  static Stream<Arguments> programs() {
    List<Case> cases =
        List.of(
            new Case(
                "racy: a use by a second branch is not recorded, so the memory is reused",
                Set.of(HazardCode.EARLY_REUSE),
                (desk, pool) -> scratchLaunched(desk, pool, false)),
            new Case(
                "racy: the next launch overwrites what another stream still reads",
                Set.of(HazardCode.RACE_WAR),
                (desk, pool) -> output(desk, pool, false)),
            new Case(
                "racy: two graphs of one pool at once on two streams",
                Set.of(HazardCode.EARLY_REUSE),
                (desk, pool) -> twoGraphs(desk, pool, false)),
            new Case(
                "correct: the use is recorded",
                Set.of(),
                (desk, pool) -> scratchLaunched(desk, pool, true)),
            new Case(
                "correct: the next launch waits for the reader",
                Set.of(),
                (desk, pool) -> output(desk, pool, true)),
            new Case(
                "correct: two graphs of one pool one after the other",
                Set.of(),
                (desk, pool) -> twoGraphs(desk, pool, true)));
    return cases.stream()
        .flatMap(
            each ->
                Schedule.all().stream()
                    .flatMap(
                        schedule ->
                            Stream.of(VirtualMemoryUse.ON, VirtualMemoryUse.OFF)
                                .map(use -> Arguments.of(each, schedule, use))));
  }

  @ParameterizedTest(name = "{0} ({1}, virtual memory {2})")
  @MethodSource("programs")
  @DisplayName("is judged right under every schedule")
  void judged(Case each, Schedule schedule, VirtualMemoryUse use) {
    try (SimBackend gpu =
        SimBackend.builder().device(DeviceProfile.SMALL_8GIB).schedule(schedule).build()) {
      try (CachingAllocator allocator =
              CachingAllocator.builder(gpu.getDevice(0)).virtualMemory(use).build();
          SimStream stream = gpu.getDevice(0).createStream("main");
          SimStream side = gpu.getDevice(0).createStream("side");
          PrivatePool pool = allocator.createPool()) {
        each.program().run(new Desk(allocator, stream, side), pool);
      }
      Set<HazardCode> found =
          gpu.getHazards().stream().map(HazardReport::code).collect(Collectors.toSet());
      assertEquals(each.expected(), found, () -> gpu.getHazards().toString());
      assertTrue(gpu.getWarnings().isEmpty(), () -> gpu.getWarnings().toString());
      assertEquals(List.of(), gpu.getLeaks());
    }
  }
}
