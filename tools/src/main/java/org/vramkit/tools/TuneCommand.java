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

/** {@code vramkit tune}: which options are worth having for a program. */
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
      "Reserved memory and driver time are of virtual time, the same on any machine; driver time"
          + " is what a real driver would take, by a model of measured costs. ns/event is measured,"
          + " one replay at a time on one thread, with simulated driver calls in it: the median,"
          + " with the least and the most. Differences within that spread mean nothing. A"
          + " program of many threads needs its thread caches, which a replay on one thread"
          + " cannot show.",
      ""
    })
final class TuneCommand implements Callable<Integer> {
  private static final int MOST = 5000;

  private final Errors errors;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "TRACE", arity = "1..*", description = "Recorded allocations.")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = "--device-memory",
      paramLabel = "SIZE",
      converter = SizeConverter.DeviceMemory.class,
      description =
          "Memory of the simulated device, such as 16GiB. The smallest memory that suffices is then"
              + " looked for as well, for each of the best. Default: 80GiB, and no such search.")
  private @Nullable Long deviceMemory;

  @Option(
      names = "--try",
      paramLabel = "KEY=VALUE[,VALUE]",
      description =
          "Values to try for an option, in place of the usual ones; may be repeated, and"
              + " of one key the last counts. Values that hold commas themselves are separated by"
              + " semicolons: 'rounding-divisions=256:4,512:8;8', or 'history=1MiB,stacks;'."
              + " Options: vramkit replay --help.")
  private Map<String, String> named = new LinkedHashMap<>();

  @Option(
      names = "--threads",
      paramLabel = "N",
      converter = Threads.class,
      description = "How many replays run at once, 1 to 1024. Default: one for each processor.")
  private long threads = Runtime.getRuntime().availableProcessors();

  @Option(names = "--json", description = "Print one JSON document instead of tables.")
  private boolean json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Also write a page with a chart of all that was tried.")
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
                    + " at once"
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
        ? ", which no simulated device has"
        : "; the defaults have enough with --device-memory " + ByteSize.formatUp(sufficient);
  }

  /** At semicolons where there are any, for values of several parts; else at commas. */
  private static List<String> split(String list) {
    boolean hasParts = list.indexOf(';') >= 0;
    String values = hasParts && list.endsWith(";") ? list.substring(0, list.length() - 1) : list;
    return Arrays.asList(values.split(hasParts ? ";" : ",", -1));
  }

  /** Every named value is one that the allocator takes, told before any trace is read. */
  private static void check(long memory, Map<String, List<String>> values) {
    long count = Grid.count(2, values);
    if (count > MOST) {
      throw new UsageException(
          "--try makes "
              + count
              + " combinations; at most "
              + MOST
              + " are tried: name fewer values");
    }
    // What properties and the environment say.
    Tuning.check(memory, Map.of());
    values.forEach(
        (name, list) -> list.forEach(value -> Tuning.check(memory, Map.of(name, value))));
  }

  /** As many threads as any machine is asked for. */
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
            new Tuning.Watch() {
              @Override
              public <T> T during(Tuning.Part part, long pieces, Function<Progress, T> work) {
                String name = part.name().toLowerCase(Locale.ROOT) + " " + trace.getName();
                return TerminalProgress.working(name, pieces, work);
              }
            });
  }
}
