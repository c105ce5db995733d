package org.vramkit.testkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.replay.Program;
import org.vramkit.sim.replay.ProgramRun;
import org.vramkit.sim.replay.ProgramRunner;

@DisplayName("The program of a run")
class FailedProgramsTest {
  @TempDir Path folder;

  static class Mixed {
    @SimulatedTest(seeds = 2)
    void racesWithSeedTwo(SimBackend backend, SimStream a, SimStream b) {
      if (backend.getSeed() == 2) {
        Programs.race(backend.getDevice(0), a, b);
      }
    }
  }

  @Test
  @DisplayName("that failed is stored where the message says, and gives the same hazard again")
  void stored() throws IOException {
    HazardError error =
        Outcome.of(Mixed.class, Map.of("vramkit.programs", folder.toString()))
            .expect(1, 1)
            .failure(HazardError.class);
    String name = "FailedProgramsTest.Mixed.racesWithSeedTwo-2-seed2-random.json";
    assertEquals(List.of(name), files());
    Path file = folder.resolve(name);
    assertTrue(error.getMessage().endsWith("vramkit shrink " + file), error.getMessage());
    List<HazardReport> again = ProgramRunner.run(Program.load(file)).hazards();
    assertEquals(List.of(HazardCode.RACE_RAW), again.stream().map(HazardReport::code).toList());
  }

  @SimulatedGpu
  static class Leaking {
    @Test
    void forgets(SimDevice device) {
      device.createEvent();
    }
  }

  @Test
  @DisplayName("that left something held is stored with it, and the message says how to shorten it")
  void leaking() throws IOException {
    LeakError error =
        Outcome.of(Leaking.class, Map.of("vramkit.programs", folder.toString()))
            .expect(0, 1)
            .failure(LeakError.class);
    Path file = folder.resolve(files().get(0));
    assertTrue(error.getMessage().endsWith("vramkit shrink --leaks " + file), error.getMessage());
    assertEquals(1, ProgramRunner.run(Program.load(file)).leaks().size());
  }

  @SimulatedGpu
  static class Unwaiting {
    @Test
    void writesUnderCopy(SimDevice device, SimStream stream) {
      PinnedBuffer buffer = device.getPinnedMemory().allocate(Programs.BYTES);
      stream.copyToDevice(device.getMemory().allocate(Programs.BYTES), buffer, 0, Programs.BYTES);
      buffer.getBytes(0, 1).put(0, (byte) 1);
    }
  }

  @Test
  @DisplayName("whose hazard shows only in the end is stored with it")
  void unwaited() throws IOException {
    Outcome.of(Unwaiting.class, Map.of("vramkit.programs", folder.toString())).expect(0, 1);
    ProgramRun again = ProgramRunner.run(Program.load(folder.resolve(files().get(0))));
    assertEquals(
        List.of(HazardCode.HOST_RACE), again.hazards().stream().map(HazardReport::code).toList());
  }

  @SimulatedGpu
  static class FailingByItself {
    @Test
    void demandsTheImpossible(SimDevice device) {
      device.synchronize();
      throw new IllegalStateException("its own");
    }
  }

  @Test
  @DisplayName("that gave no report cannot be shortened, only run")
  void withoutReport() throws IOException {
    IllegalStateException failure =
        Outcome.of(FailingByItself.class, Map.of("vramkit.programs", folder.toString()))
            .failure(IllegalStateException.class);
    String note = String.valueOf(failure.getSuppressed()[0].getMessage());
    assertTrue(note.endsWith("vramkit run " + folder.resolve(files().get(0))), note);
    assertFalse(note.contains("shrink"), note);
  }

  @SimulatedGpu
  static class FailingToClose {
    @Test
    void keepsABlock(SimDevice device, SimStream stream) {
      long memory = device.getMemory().allocate(512);
      device.getMemoryObserver().allocated(memory, 512, stream, "batch");
      throw new IllegalStateException("cannot close: 1 open allocation");
    }
  }

  @Test
  @DisplayName("17.19 that failed with something held tells what, when it runs as the message says")
  void heldByFailure() throws IOException {
    IllegalStateException failure =
        Outcome.of(FailingToClose.class, Map.of("vramkit.programs", folder.toString()))
            .failure(IllegalStateException.class);
    String note = String.valueOf(failure.getSuppressed()[0].getMessage());
    Path file = folder.resolve(files().get(0));
    assertTrue(note.endsWith("vramkit run --leaks " + file), note);
    List<Leak> leaks = ProgramRunner.run(Program.load(file)).leaks();
    assertTrue(
        leaks.stream().anyMatch(leak -> leak.toString().contains("block of a pool batch")),
        leaks.toString());
  }

  /** Each thread adds to the first number, without an atomic operation. */
  private static final String SUM =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry sum(.param .u64 numbers)
      {
        .reg .b64 %rd<2>;
        .reg .b32 %r<2>;
        ld.param.u64 %rd1, [numbers];
        ld.global.u32 %r1, [%rd1];
        add.u32 %r1, %r1, 1;
        st.global.u32 [%rd1], %r1;
        ret;
      }
      """;

  private static void sum(SimDevice device, SimStream stream, long numbers, int threads) {
    Kernel sum = device.loadModule(SUM.getBytes(StandardCharsets.UTF_8)).getKernel("sum");
    stream.launch(sum, LaunchConfig.of(1, threads), numbers);
  }

  @SimulatedGpu
  static class RacingKernels {
    @Test
    void sumsTwice(SimDevice device, SimStream a, SimStream b) {
      long numbers = device.getMemory().allocate(Programs.BYTES);
      a.fill(numbers, (byte) 0, Programs.BYTES);
      sum(device, a, numbers, 1);
      sum(device, b, numbers, 1);
    }
  }

  @Test
  @DisplayName("with kernels of PTX is stored with what they accessed, and races again")
  void kernels() throws IOException {
    Outcome.of(RacingKernels.class, Map.of("vramkit.programs", folder.toString()))
        .failure(HazardError.class);
    Program program = Program.load(folder.resolve(files().get(0)));
    List<HazardReport> again = ProgramRunner.run(program).hazards();
    assertTrue(
        again.stream().anyMatch(each -> each.toString().contains("kernel sum")), again.toString());
  }

  @SimulatedGpu
  static class RacingGraph {
    @Test
    void sumsBesideItsGraph(SimDevice device, SimStream a, SimStream b) {
      long numbers = device.getMemory().allocate(Programs.BYTES);
      a.fill(numbers, (byte) 0, Programs.BYTES);
      a.synchronize();
      Graphs graphs = device.getGraphs();
      graphs.beginCapture(a);
      sum(device, a, numbers, 1);
      try (Graph graph = graphs.endCapture(a)) {
        graph.launch(a);
        graph.launch(a);
        a.synchronize();
        graph.launch(a);
        sum(device, b, numbers, 1);
        device.synchronize();
      }
    }
  }

  @Test
  @DisplayName("with captured kernels of PTX is stored with what they accessed, and races again")
  void capturedKernels() throws IOException {
    Outcome.of(RacingGraph.class, Map.of("vramkit.programs", folder.toString()))
        .failure(HazardError.class);
    Program program = Program.load(folder.resolve(files().get(0)));
    List<HazardReport> again = ProgramRunner.run(program).hazards();
    assertTrue(
        again.stream().anyMatch(each -> each.toString().contains("kernel sum of graph")),
        again.toString());
  }

  @SimulatedGpu
  static class RacingThreads {
    @Test
    void sums(SimDevice device, SimStream stream) {
      long numbers = device.getMemory().allocate(Programs.BYTES);
      stream.fill(numbers, (byte) 0, Programs.BYTES);
      sum(device, stream, numbers, 64);
    }
  }

  @Test
  @DisplayName("is not offered if the fault lies within a kernel, which it does not contain")
  void withinKernel() throws IOException {
    HazardError error =
        Outcome.of(RacingThreads.class, Map.of("vramkit.programs", folder.toString()))
            .failure(HazardError.class);
    assertEquals(HazardCode.KERNEL_RACE, error.getReports().get(0).code());
    assertFalse(error.getMessage().contains("vramkit shrink"), error.getMessage());
    assertTrue(error.getMessage().contains("repeat with"), error.getMessage());
    assertEquals(List.of(), files());
  }

  @SimulatedGpu
  static class RacingTwice {
    @Test
    void races(SimDevice device, SimStream a, SimStream b) {
      Programs.race(device, a, b);
      Programs.race(device, a, b);
    }
  }

  @Test
  @DisplayName("with several reports prints all of them when it runs, as the message says")
  void severalReports() throws IOException {
    HazardError error =
        Outcome.of(RacingTwice.class, Map.of("vramkit.programs", folder.toString()))
            .failure(HazardError.class);
    Path file = folder.resolve(files().get(0));
    assertTrue(error.getMessage().contains("vramkit shrink " + file), error.getMessage());
    assertTrue(error.getMessage().endsWith("all reports: vramkit run " + file), error.getMessage());
  }

  @SimulatedGpu(recording = false)
  static class Unrecorded {
    @Test
    void races(SimDevice device, SimStream a, SimStream b) {
      Programs.race(device, a, b);
    }
  }

  @Test
  @DisplayName("that was not recorded is not stored")
  void unrecorded() throws IOException {
    HazardError error =
        Outcome.of(Unrecorded.class, Map.of("vramkit.programs", folder.toString()))
            .failure(HazardError.class);
    assertFalse(error.getMessage().contains("vramkit shrink"), error.getMessage());
    assertEquals(List.of(), files());
  }

  @Test
  @DisplayName("that cannot be stored does not hide the hazard")
  void noFolder() throws IOException {
    Path file = Files.createFile(folder.resolve("taken"));
    HazardError error =
        Outcome.of(Mixed.class, Map.of("vramkit.programs", file.toString()))
            .expect(1, 1)
            .failure(HazardError.class);
    assertTrue(error.getMessage().startsWith("RACE_RAW"), error.getMessage());
    assertTrue(error.getMessage().contains("its program was not stored: "), error.getMessage());
  }

  private List<String> files() throws IOException {
    try (Stream<Path> found = Files.list(folder)) {
      return found.map(file -> file.getFileName().toString()).toList();
    }
  }
}
