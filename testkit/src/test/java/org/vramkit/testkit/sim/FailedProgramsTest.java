package org.vramkit.testkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.program.Program;
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
    String name = "FailedProgramsTest$Mixed.racesWithSeedTwo-2-seed2-random.json";
    assertEquals(List.of(name), files());
    Path file = folder.resolve(name);
    assertTrue(error.getMessage().endsWith("vramkit shrink " + file), error.getMessage());
    List<HazardReport> again = ProgramRunner.run(Program.load(file)).hazards();
    assertEquals(List.of(HazardCode.RACE_RAW), again.stream().map(HazardReport::code).toList());
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
