package org.vramkit.testkit.sim;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.replay.Program;

/**
 * Describes how to repeat a run: by the options that pin it, and by its program, which is stored in
 * a file per run and replaced at its next failure.
 */
final class Repetition {
  /** The JUnit configuration parameter or system property that sets the folder. */
  static final String FOLDER = "vramkit.programs";

  private static final Pattern INVOCATION = Pattern.compile("#\\d+");

  private final ExtensionContext context;
  private final Run run;
  private final boolean recorded;

  Repetition(ExtensionContext context, Run run, boolean recorded) {
    this.context = context;
    this.run = run;
    this.recorded = recorded;
  }

  /** Stores the program of the run and returns the lines that describe the repetition. */
  String store(SimBackend backend) {
    return store(backend, "");
  }

  /** Stores the program of a run that has leaks only, and returns the lines. */
  String storeLeaking(SimBackend backend) {
    return store(backend, "--leaks ");
  }

  private String store(SimBackend backend, String option) {
    String options = "repeat with " + run.toOptions();
    return recorded && !isWithinKernels(backend, option)
        ? options + System.lineSeparator() + storeProgram(backend, option)
        : options;
  }

  /** Returns whether all reports are of kernels' code, which a program does not contain. */
  private static boolean isWithinKernels(SimBackend backend, String option) {
    List<HazardReport> reports = new ArrayList<>(backend.getHazards());
    reports.addAll(backend.getWarnings());
    return option.isEmpty()
        && !reports.isEmpty()
        && reports.stream().allMatch(each -> each.code().isWithinKernel());
  }

  /**
   * Stores the calls that were made to a simulator, and returns the command for the file or why it
   * could not be stored.
   *
   * @param option an option of the shrink command, followed by a space; empty for none
   */
  private String storeProgram(SimBackend backend, String option) {
    Path file = folder().resolve(name());
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Program.of(backend).store(file);
      return isShrinkable(backend, option)
          ? "or shorten the program: vramkit shrink " + option + file + allReports(backend, file)
          : "or run its calls without the test: vramkit run " + leaks(backend) + file;
    } catch (IOException | InvalidArgumentException e) {
      // The test has failed already; a full disk must not replace its failure.
      return "its program was not stored: " + e;
    }
  }

  /** Returns the option that reports leaks, which explain why an allocator could not be closed. */
  private static String leaks(SimBackend backend) {
    return backend.getLeaks().isEmpty() ? "" : "--leaks ";
  }

  /** Returns whether the run has a report that a shorter program could reproduce. */
  private static boolean isShrinkable(SimBackend backend, String option) {
    return !(option.isEmpty() && backend.getHazards().isEmpty() && backend.getWarnings().isEmpty());
  }

  private static String allReports(SimBackend backend, Path file) {
    return backend.getHazards().size() < 2
        ? ""
        : System.lineSeparator() + "all reports: vramkit run " + file;
  }

  /** Returns the configured folder, or one below the build folder of Maven or Gradle. */
  private Path folder() {
    return context
        .getConfigurationParameter(FOLDER)
        .map(Path::of)
        .orElseGet(
            () ->
                Path.of(Files.isDirectory(Path.of("target")) ? "target" : "build")
                    .resolve("vramkit"));
  }

  /**
   * Returns the file name: class, method, invocation, seed and schedule, in characters that a shell
   * leaves as they are.
   */
  private String name() {
    String test =
        context.getRequiredTestClass().getName().replaceAll(".*\\.", "").replace('$', '.')
            + "."
            + context.getRequiredTestMethod().getName();
    Stream<String> invocations =
        INVOCATION
            .matcher(context.getUniqueId())
            .results()
            .map(match -> match.group().substring(1));
    return Stream.of(
                Stream.of(test),
                invocations,
                Stream.of("seed" + run.seed(), run.schedule().getName()))
            .flatMap(parts -> parts)
            .collect(Collectors.joining("-"))
            .replaceAll("[^\\p{L}\\p{N}._-]+", "_")
        + ".json";
  }
}
