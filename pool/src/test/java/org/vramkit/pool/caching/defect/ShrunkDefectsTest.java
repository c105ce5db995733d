package org.vramkit.pool.caching.defect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.sim.replay.ProgramPrinter;
import org.vramkit.sim.replay.ProgramShrinker;
import org.vramkit.sim.replay.ShrunkProgram;
import org.vramkit.sim.schedule.Schedule;

/** The programs are left in {@code target/planted-defects} to be read. */
@DisplayName("Defects in a copy of the caching allocator shrink to short programs")
@Tag("own-schedules")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ShrunkDefectsTest {
  private static final Path PROGRAMS = Path.of("target", "planted-defects");
  private static final Path DOCUMENT = Path.of("..", "docs", "simulator.md");
  private static final int SEEDS = 36;
  private static final int MOST_STEPS = 16;

  private final Map<PlantedDefect, ShrunkProgram> shrunk = new EnumMap<>(PlantedDefect.class);

  private ShrunkProgram shrink(PlantedDefect defect) {
    return shrunk.computeIfAbsent(
        defect,
        each -> {
          DefectiveCopy copy = new DefectiveCopy(each);
          return Stream.of(VirtualMemoryUse.ON, VirtualMemoryUse.OFF)
              .map(use -> new DefectHunt(copy::allocator, use, Schedule.timed()))
              .map(hunt -> hunt.record(Objects.requireNonNull(hunt.shortest(SEEDS))))
              .min(Comparator.comparing(program -> program.steps().size()))
              .map(new ProgramShrinker()::shrink)
              .orElseThrow();
        });
  }

  private static String print(ShrunkProgram program) {
    return ProgramPrinter.print(program.program(), "Smallest");
  }

  @ParameterizedTest
  @EnumSource(PlantedDefect.class)
  @DisplayName("It gives the report and no other, and nothing can be left out")
  void shrinks(PlantedDefect defect) throws IOException {
    ShrunkProgram program = shrink(defect);
    Files.createDirectories(PROGRAMS);
    Files.writeString(PROGRAMS.resolve(defect.name() + ".java"), print(program));
    assertTrue(
        defect.getExpected().stream()
            .anyMatch(code -> code.name().equals(program.signature().code())),
        () -> print(program));
    assertEquals(1, program.reports(), () -> print(program));
    assertTrue(program.minimal(), () -> print(program));
    assertTrue(program.program().steps().size() <= MOST_STEPS, () -> print(program));
  }

  @Test
  @DisplayName("Issue 5: the smallest of them is printed in docs/simulator.md")
  void smallestIsDocumented() throws IOException {
    PlantedDefect smallest =
        Arrays.stream(PlantedDefect.values())
            .min(Comparator.comparing(defect -> shrink(defect).program().steps().size()))
            .orElseThrow();
    String wanted =
        "This is the smallest of these programs, for a copy of the allocator in which "
            + smallest
            + ":\n\n```text\n"
            + print(shrink(smallest))
            + "```\n";
    assertTrue(
        Files.readString(DOCUMENT).contains(wanted),
        () -> DOCUMENT + " should have this in its last section:\n" + wanted);
  }
}
