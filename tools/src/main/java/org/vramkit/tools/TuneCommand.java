package org.vramkit.tools;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.tools.replay.Progress;
import org.vramkit.tools.replay.ReplayOptions;
import org.vramkit.tools.replay.UsageException;
import org.vramkit.tools.report.Style;
import org.vramkit.tools.report.TuneReport;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.TraceException;
import org.vramkit.tools.tune.Grid;
import org.vramkit.tools.tune.TuneResult;
import org.vramkit.tools.tune.Tuning;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Implements {@code vramkit tune}: finds the allocator options that suit a program. */
@Command(
    name = "tune",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Replays recorded allocations through many combinations of options and through the other"
          + " allocators, on a simulated device, and prints the Pareto front over reserved"
          + " memory, driver time and time per event, the effect of each option, and a"
          + " recommendation.",
      "",
      "Reserved memory and driver time are simulated and the same on any machine; driver time is"
          + " modelled from the measured costs of an H200. ns/event is measured, one replay at a"
          + " time on one thread, simulated driver calls included: median, minimum and maximum."
          + " Differences within that range mean nothing. Replays use one thread, so they do not"
          + " show the value of thread caches to programs with several.",
      ""
    })
final class TuneCommand implements Callable<Integer> {
  private static final int MAX_COMBINATIONS = 5000;

  private final Errors errors;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "TRACE", arity = "1..*", description = "Recorded allocations.")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = "--device-memory",
      paramLabel = "SIZE",
      converter = SizeConverter.DeviceMemory.class,
      description =
          "Memory of the simulated device, such as 16GiB. With this option, tune also searches the smallest sufficient memory for each combination on"
              + " the front. Default: 80GiB, no search.")
  private @Nullable Long deviceMemory;

  @Option(
      names = "--try",
      paramLabel = "KEY=VALUE[,VALUE]",
      description =
          "Values to try for an option instead of the built-in ones. May be repeated; the last"
              + " value of a key counts. Separate values that contain commas by semicolons:"
              + " 'rounding-divisions=256:4,512:8;8', or 'history=1MiB,stacks;'. Options:"
              + " vramkit replay --help.")
  private Map<String, String> named = new LinkedHashMap<>();

  @Option(
      names = "--threads",
      paramLabel = "N",
      converter = Threads.class,
      description = "Number of parallel replays, 1 to 1024. Default: one per processor.")
  private long threads = Runtime.getRuntime().availableProcessors();

  @Option(names = "--json", description = "Print one JSON document instead of tables.")
  private boolean json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Also write a page with a chart of all combinations.")
  private @Nullable Path html;

  TuneCommand(Errors errors) {
    this.errors = errors;
  }

  @Override
  public Integer call() {
    long memory = deviceMemory == null ? ReplayOptions.DEFAULT_MEMORY : deviceMemory;
    OutputFile page =
        html == null ? null : new OutputFile("--html", html, OutputFile.Kind.HTML_PAGE);
    if (page != null) {
      page.check(files);
    }
    Map<String, List<String>> values = new LinkedHashMap<>();
    named.forEach((name, list) -> values.put(name, split(list)));
    check(memory, values);
    List<TuneResult> results = new ArrayList<>();
    int code = Errors.OK;
    for (Path file : files) {
      try {
        for (Trace trace : TraceReading.forReplay(file, false)) {
          TuneResult result = tune(trace, memory, values);
          results.add(result);
          if (result.best().isEmpty()) {
            errors.print(
                trace.getName()
                    + ": every combination ran out of memory; it requests "
                    + ByteSize.formatUp(trace.getRequestedPeakBytes())
                    + " at its peak"
                    + larger(trace, memory));
            code = Math.max(code, Errors.FAILED);
          }
        }
      } catch (TraceException e) {
        code = errors.on(e);
      } catch (RuntimeException | OutOfMemoryError e) {
        code = Math.max(code, errors.on(file + ": tuning failed: ", e));
      }
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.print(TuneReport.json(results));
    } else if (!results.isEmpty()) {
      out.print(TuneReport.text(results, new Style(spec.commandLine().getColorScheme().ansi())));
    }
    if (page != null && !results.isEmpty()) {
      page.write(TuneReport.page(results)::write);
    }
    return code;
  }

  private String larger(Trace trace, long memory) {
    long sufficient = new Tuning(trace, memory, (int) threads).findSufficient();
    return sufficient == 0
        ? ", more than any simulated device has"
        : "; the defaults suffice with --device-memory " + ByteSize.formatOption(sufficient);
  }

  /** Splits at semicolons if there are any, else at commas. */
  private static List<String> split(String list) {
    boolean hasParts = list.indexOf(';') >= 0;
    String values = hasParts && list.endsWith(";") ? list.substring(0, list.length() - 1) : list;
    return Arrays.asList(values.split(hasParts ? ";" : ",", -1));
  }

  /** Rejects values that the allocator does not accept, before any trace is read. */
  private static void check(long memory, Map<String, List<String>> values) {
    long count = Grid.count(2, values);
    if (count > MAX_COMBINATIONS) {
      throw new UsageException(
          "--try makes "
              + count
              + " combinations; at most "
              + MAX_COMBINATIONS
              + " are tried: name fewer values");
    }
    // Checks options from system properties and the environment.
    Tuning.check(memory, Map.of());
    values.forEach(
        (name, list) -> list.forEach(value -> Tuning.check(memory, Map.of(name, value))));
  }

  /** Bounds the number of threads. */
  static final class Threads extends WholeNumber {
    Threads() {
      super(1, 1024);
    }
  }

  private TuneResult tune(Trace trace, long memory, Map<String, List<String>> values) {
    return new Tuning(trace, memory, (int) threads)
        .run(
            Grid.combinations(trace.getStreamCount(), values),
            deviceMemory != null,
            new Tuning.PhaseRunner() {
              @Override
              public <T> T run(Tuning.Phase phase, long steps, Function<Progress, T> work) {
                String name = phase.name().toLowerCase(Locale.ROOT) + " " + trace.getName();
                return TerminalProgress.working(name, steps, work);
              }
            });
  }
}
