package org.vramkit.bench.footprint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.vramkit.bench.Programs;
import org.vramkit.tools.WholeNumber;
import org.vramkit.tools.replay.Allocators;
import org.vramkit.tools.replay.CheckerMode;
import org.vramkit.tools.replay.Progress;
import org.vramkit.tools.replay.ReplayOptions;
import org.vramkit.tools.replay.VariedReplay;
import org.vramkit.tools.replay.VariedResult;
import org.vramkit.tools.report.Style;
import org.vramkit.tools.report.VariationTable;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.Traces;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Replays variations of recorded programs through the caching allocator, and prints a table for
 * virtual memory and one for segments. Changes to the allocator are judged by these figures.
 */
@Command(
    name = "footprint",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "Footprint and driver time over variations of recorded programs, simulated.")
public final class Footprint implements Callable<Integer> {
  private static final Map<String, String> MEMORIES = new LinkedHashMap<>();

  static {
    MEMORIES.put("auto", "virtual memory");
    MEMORIES.put("off", "segments");
  }

  @Parameters(
      paramLabel = "TRACE",
      arity = "0..*",
      description = "recorded programs; all seven of the project if none is named")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = "--variations",
      description = "number of variations of each program, including itself",
      defaultValue = "10",
      converter = WholeNumber.FromOne.class)
  private long variations = 10;

  @Option(
      names = "--passes",
      description = "number of passes over each variation",
      defaultValue = "3",
      converter = WholeNumber.FromOne.class)
  private long passes = 3;

  @Option(names = "--option", description = "allocator option KEY=VALUE", paramLabel = "KEY=VALUE")
  private Map<String, String> options = new LinkedHashMap<>();

  private Footprint() {}

  /** Runs the command and exits with its code. */
  public static void main(String[] arguments) {
    System.exit(execute(arguments));
  }

  /** Runs the command; returns 1 if an allocation failed or memory leaked. */
  static int execute(String... arguments) {
    return new CommandLine(new Footprint()).execute(arguments);
  }

  @Override
  public Integer call() throws IOException {
    List<Path> programs = files.isEmpty() ? Programs.getAll() : files;
    int code = 0;
    for (Map.Entry<String, String> memory : MEMORIES.entrySet()) {
      List<VariedResult> results = new ArrayList<>();
      for (Path program : programs) {
        results.add(replay(program, memory.getKey()));
      }
      System.out.println(memory.getValue() + ", " + passes + " passes, options " + options);
      System.out.println();
      System.out.println(VariationTable.of(results, Style.PLAIN));
      for (VariedResult result : results) {
        String name = result.getRecording().trace().getName();
        for (String problem : result.getProblems()) {
          System.err.println(name + ": " + problem);
          code = 1;
        }
      }
    }
    return code;
  }

  private VariedResult replay(Path program, String virtualMemory) throws IOException {
    Map<String, String> all = new HashMap<>(options);
    all.put("virtual-memory", virtualMemory);
    ReplayOptions replay =
        new ReplayOptions(
            ReplayOptions.SIMULATOR,
            null,
            Duration.ZERO,
            CheckerMode.OFF,
            Allocators.DEFAULT,
            all,
            (int) passes);
    // Folders would not fit the table.
    String name = String.valueOf(program.getFileName());
    Trace trace = Traces.read(name, Files.newInputStream(program));
    return VariedReplay.run(trace, replay, (int) variations, Progress.NONE);
  }
}
