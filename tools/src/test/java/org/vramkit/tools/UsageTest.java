package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A command line that is not understood")
class UsageTest {
  private static final String COMMANDS = "the commands are replay, view, tune, ";

  @Test
  @DisplayName("17.24 an unknown option is named before what is missing beside it")
  void unknownOptionFirst() {
    Run.of("replay", "--nope").failed(2, "Unknown option: '--nope'", "see vramkit replay --help");
    Run.of("run", "--nope").failed(2, "'--nope'", "see vramkit run --help");
    Run.of("--nope", "replay").failed(2, "'--nope'", "see vramkit --help");
    Run.of("replay", "--html").failed(2, "'--html'");
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
  @DisplayName("17.24 help prints what --help prints, of all and of one command")
  void help() {
    assertEquals(Run.of("--help"), Run.of("help"));
    assertEquals(0, Run.of("help").code());
    assertEquals(Run.of("replay", "--help"), Run.of("help", "replay"));
    Run.of("help", "replay", "x").failed(2, "'x'");
  }

  @ParameterizedTest
  @DisplayName("17.24 every command tells the version")
  @ValueSource(strings = {"replay", "devices", "top", "partition", "run", "shrink", "help"})
  void version(String command) {
    Run run = Run.of(command, "--version");
    assertEquals(Run.of("--version"), run);
    assertTrue(run.out().startsWith("vramkit "), run.out());
  }
}
