package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("An invalid command line")
class UsageTest {
  private static final String COMMANDS = "the commands are replay, view, tune, ";

  @Test
  @DisplayName("17.24 an unknown option is reported before missing arguments")
  void unknownOptionFirst() {
    Run.of("replay", "--nope").failed(2, "Unknown option: '--nope'", "see vramkit replay --help");
    Run.of("run", "--nope").failed(2, "'--nope'", "see vramkit run --help");
    Run.of("--nope", "replay").failed(2, "'--nope'", "see vramkit --help");
    Run.of("replay", "--html").failed(2, "'--html'");
  }

  @ParameterizedTest(name = "[{index}] {0} {1}")
  @CsvSource({
    "replay, --repeat, 1 to 1000",
    "replay, --kernel-micros, 0 to 60000000",
    "tune, --threads, 1 to 1024",
    "top, --interval, 1 to 3600",
    "partition, --units, 0 to 9223372036854775807",
    "run, --seed, -9223372036854775808 to 9223372036854775807",
    "shrink, --runs, 1 to 2147483647"
  })
  @DisplayName("17.24 an error of a number names its range: no number, too low, too high")
  void ranges(String command, String option, String range) {
    List<String> wrong = new ArrayList<>(List.of("x", "", "1.5", "99999999999999999999"));
    if (!command.equals("run")) {
      wrong.add("-1");
      wrong.add(range.startsWith("0") ? "-2" : "0");
    }
    for (String value : wrong) {
      Run.of(command, option + "=" + value, "none")
          .failed(2, "'" + option + "'", "a whole number from " + range, "not '" + value + "'");
    }
  }

  @Test
  @DisplayName("17.24 an error of a misspelt option suggests similar ones")
  void alike() {
    Run run = Run.of("run", "--sede", "3", "file");
    run.failed(2, "Unknown option: '--sede'; did you mean --seed?;");
    assertFalse(run.err().contains("'3'"), run.err());
    Run.of("replay", "--repaet=3", "file").failed(2, "'--repaet=3'; did you mean --repeat?;");
  }

  @Test
  @DisplayName("17.24 an unknown or missing command lists the commands")
  void unknownCommand() {
    Run.of("fly").failed(2, "unknown command 'fly'", COMMANDS);
    Run.of("fly", "--high").failed(2, "unknown command 'fly'", COMMANDS);
    Run.of("help", "fly").failed(2, "unknown command 'fly'", COMMANDS);
    Run.of().failed(2, "a command is missing", COMMANDS);
  }

  @Test
  @DisplayName("17.24 help prints the same as --help, for all and for one command")
  void help() {
    assertEquals(Run.of("--help"), Run.of("help"));
    assertEquals(0, Run.of("help").code());
    assertEquals(Run.of("replay", "--help"), Run.of("help", "replay"));
    Run.of("help", "replay", "x").failed(2, "'x'");
  }

  @ParameterizedTest
  @DisplayName("17.24 every command prints the version")
  @ValueSource(
      strings = {
        "replay",
        "check",
        "diff",
        "devices",
        "top",
        "limit",
        "trim",
        "dump",
        "partition",
        "run",
        "shrink",
        "help"
      })
  void version(String command) {
    Run run = Run.of(command, "--version");
    assertEquals(Run.of("--version"), run);
    assertTrue(run.out().startsWith("vramkit "), run.out());
  }

  @Test
  @DisplayName("17.24 a Java out of memory in any command is one line")
  void memoryRunsOut() {
    ArrayDeque<Error> errors = new ArrayDeque<>(List.of(new OutOfMemoryError("planted")));
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int value) {
            Error next = errors.poll();
            if (next != null) {
              throw next;
            }
          }
        };
    Run.to(full, "replay", "--help").failed(1, "the Java heap is too small; set JAVA_OPTS=-Xmx");
    assertTrue(errors.isEmpty(), "nothing was written");
  }
}
