package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.schedule.Schedule;

@DisplayName(
    "Launches of kernels whose code runs are checked by the exact ranges of their accesses")
class KernelLaunchTest {
  /** Adds 1 to each of the threads' words: from the first parameter to the second. */
  static final String PTX =
      """
      .version 7.2
      .target sm_75
      .address_size 64
      .visible .entry next(.param .u64 from, .param .u64 to)
      {
        .reg .b32 %r<3>;
        .reg .b64 %rd<6>;
        ld.param.u64 %rd1, [from];
        ld.param.u64 %rd2, [to];
        mov.u32 %r1, %tid.x;
        mul.wide.u32 %rd3, %r1, 4;
        add.s64 %rd4, %rd1, %rd3;
        add.s64 %rd5, %rd2, %rd3;
        ld.global.u32 %r2, [%rd4];
        add.u32 %r2, %r2, 1;
        st.global.u32 [%rd5], %r2;
        ret;
      }
      """;

  private static final LaunchConfig WARP = LaunchConfig.of(1, 32);
  private static final int BYTES = 128;

  private static Stream<Schedule> schedules() {
    return Stream.of(
        Schedule.timed(), Schedule.eager(), Schedule.lazy(), Schedule.reverse(), Schedule.random());
  }

  private static SimBackend backend(Schedule schedule) {
    return SimBackend.builder()
        .device(DeviceProfile.SMALL_8GIB)
        .seed(3)
        .schedule(schedule)
        .checker(CheckerOptions.DEFAULT.withStacks(true))
        .build();
  }

  private static int firstWord(SimStream stream, long address) {
    ByteBuffer word = ByteBuffer.allocate(4).order(ByteOrder.nativeOrder());
    stream.copyToHost(word, address);
    return word.getInt(0);
  }

  /** A program on a device with two streams and zeroed memory. */
  @FunctionalInterface
  private interface Program {
    void run(SimDevice gpu, Kernel next, SimStream a, SimStream b, long memory);
  }

  private static List<HazardReport> reports(Schedule schedule, Program program) {
    SimBackend backend = backend(schedule);
    try (backend) {
      SimDevice gpu = backend.getDevice(0);
      SimStream a = gpu.createStream("a");
      SimStream b = gpu.createStream("b");
      long memory = gpu.getMemory().allocate(4 * BYTES);
      a.fill(memory, (byte) 0, 2 * BYTES);
      a.synchronize();
      try (KernelModule module = gpu.loadModule(PTX)) {
        program.run(gpu, module.getKernel("next"), a, b, memory);
        gpu.synchronize();
      }
    }
    return backend.getHazards();
  }

  private static List<HazardCode> codes(List<HazardReport> reports) {
    return reports.stream().map(HazardReport::code).toList();
  }

  @Test
  @DisplayName("a kernel uses memory that the program has mapped itself")
  void mapped() {
    List<HazardReport> found =
        reports(
            Schedule.timed(),
            (gpu, next, a, b, memory) -> {
              VirtualMemory virtual = gpu.getVirtualMemory();
              long page = virtual.getGranularity();
              long address = virtual.reserve(page);
              long handle = virtual.create(page);
              virtual.map(address, page, handle);
              virtual.setAccess(address, page, gpu);
              a.launch(next, WARP, memory, address);
              a.launch(next, WARP, address, address + BYTES);
              assertEquals(2, firstWord(a, address + BYTES), "the word, incremented twice");
              virtual.unmap(address, page);
              virtual.release(handle);
              virtual.unreserve(address, page);
            });
    assertEquals(List.of(), codes(found));
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("a race of two launches is reported on every schedule, with both lines of PTX")
  void race(Schedule schedule) {
    List<HazardReport> found =
        reports(
            schedule,
            (gpu, next, a, b, memory) -> {
              a.launch(next, WARP, memory, memory + BYTES);
              b.launch(next, WARP, memory + BYTES, memory + 2 * BYTES);
            });
    assertEquals(List.of(HazardCode.RACE_RAW), codes(found), found::toString);
    HazardReport race = found.get(0);
    assertEquals("module.ptx:16", Objects.requireNonNull(race.earlier()).code());
    assertEquals("module.ptx:14", race.later().code());
    assertTrue(race.toString().contains("KernelLaunchTest"), race::toString);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("launches that an event orders run in that order, with no report")
  void ordered(Schedule schedule) {
    List<HazardReport> found =
        reports(
            schedule,
            (gpu, next, a, b, memory) -> {
              a.launch(next, WARP, memory, memory + BYTES);
              try (Event event = gpu.createEvent()) {
                event.record(a);
                b.waitFor(event);
              }
              b.launch(next, WARP, memory + BYTES, memory + 2 * BYTES);
              assertEquals(2, firstWord(b, memory + 2 * BYTES));
            });
    assertEquals(List.of(), found);
  }

  @Test
  @DisplayName("the writes of a launch become visible when the schedule reaches it")
  void racingReaderFindsOldBytes() {
    List<HazardReport> found =
        reports(
            Schedule.lazy(),
            (gpu, next, a, b, memory) -> {
              a.launch(next, WARP, memory, memory + BYTES);
              assertEquals(0, firstWord(b, memory + BYTES));
              a.synchronize();
              assertEquals(1, firstWord(b, memory + BYTES));
            });
    assertEquals(List.of(HazardCode.RACE_RAW), codes(found));
  }

  @Test
  @DisplayName("memory that was never written, freed or exceeded is reported with the line")
  void memory() {
    List<HazardReport> unwritten =
        reports(
            Schedule.timed(),
            (gpu, next, a, b, memory) -> a.launch(next, WARP, memory + 3 * BYTES, memory + BYTES));
    assertEquals(List.of(HazardCode.UNINIT_READ), codes(unwritten));
    assertEquals("module.ptx:14", unwritten.get(0).later().code());
    List<HazardReport> freed =
        reports(
            Schedule.timed(),
            (gpu, next, a, b, memory) -> {
              long other = gpu.getMemory().allocate(BYTES);
              gpu.getMemory().free(other);
              a.launch(next, WARP, memory, other);
            });
    assertEquals(List.of(HazardCode.USE_AFTER_FREE), codes(freed));
    assertEquals("module.ptx:16", freed.get(0).later().code());
    List<HazardReport> beyond =
        reports(
            Schedule.timed(),
            (gpu, next, a, b, memory) -> {
              a.launch(next, WARP, memory, memory + 4 * BYTES - 64);
            });
    assertEquals(1, beyond.size(), beyond::toString);
    assertTrue(beyond.get(0).missing().contains("thread (16,0,0)"), beyond::toString);
  }

  @Test
  @DisplayName("a free under a launch is reported, although only its code knows what it accesses")
  void freeInFlight() {
    List<HazardReport> found =
        reports(
            Schedule.timed(),
            (gpu, next, a, b, memory) -> {
              long other = gpu.getMemory().allocate(BYTES);
              a.launch(next, WARP, memory, other);
              gpu.getMemory().free(other);
            });
    assertEquals(List.of(HazardCode.FREE_IN_FLIGHT), codes(found));
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("each launch of a graph runs the code anew, and is checked anew")
  void graph(Schedule schedule) {
    List<HazardReport> found =
        reports(
            schedule,
            (gpu, next, a, b, memory) -> {
              gpu.getGraphs().beginCapture(a);
              a.launch(next, WARP, memory, memory);
              try (Graph graph = gpu.getGraphs().endCapture(a)) {
                graph.launch(a);
                graph.launch(a);
                assertEquals(2, firstWord(a, memory));
                graph.launch(a);
                b.fill(memory, (byte) 0, BYTES);
                gpu.synchronize();
              }
            });
    assertEquals(1, found.size(), found::toString);
    assertTrue(found.get(0).code().name().startsWith("RACE"), found::toString);
  }

  @Test
  @DisplayName("a launch behind a closed gate runs once the gate is open")
  void gate() {
    List<HazardReport> found =
        reports(
            Schedule.timed(),
            (gpu, next, a, b, memory) -> {
              SimGate gate = gpu.getBackend().createGate("gate");
              a.waitFor(gate);
              a.launch(next, WARP, memory, memory + BYTES);
              a.launch(next, WARP, memory + BYTES, memory);
              gate.open();
              assertEquals(2, firstWord(a, memory));
            });
    assertEquals(List.of(), found);
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName(
      "a held launch may use what its stream has freed since, but not what was free before")
  void freedSince(Schedule schedule) {
    for (boolean isFreedBefore : new boolean[] {false, true}) {
      List<HazardReport> found =
          reports(
              schedule,
              (gpu, next, a, b, memory) -> {
                SimGate gate = gpu.getBackend().createGate("gate");
                MemoryObserver pool = gpu.getMemoryObserver();
                pool.allocated(memory, 2 * BYTES, a);
                a.fill(memory, (byte) 0, 2 * BYTES);
                a.waitFor(gate);
                if (isFreedBefore) {
                  pool.freed(memory, a);
                }
                a.launch(next, WARP, memory, memory + BYTES);
                if (!isFreedBefore) {
                  pool.freed(memory, a);
                  pool.allocated(memory, BYTES / 4, a);
                }
                gate.open();
              });
      assertEquals(
          isFreedBefore ? Set.of(HazardCode.USE_AFTER_FREE) : Set.of(), Set.copyOf(codes(found)));
    }
  }

  @Test
  @DisplayName("machine code and instructions that are not simulated are refused with the remedy")
  void notSimulated() {
    try (SimBackend backend = backend(Schedule.timed())) {
      SimDevice gpu = backend.getDevice(0);
      byte[] cubin = new byte[64];
      cubin[0] = 0x7f;
      cubin[1] = 'E';
      cubin[2] = 'L';
      cubin[3] = 'F';
      cubin[18] = (byte) 190;
      String message =
          assertThrows(NotSupportedException.class, () -> gpu.loadModule(cubin)).toString();
      assertTrue(message.contains("nvcc -ptx"), message);
    }
  }
}
