package org.vramkit.tools;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.discovery.Backends;
import org.vramkit.tools.replay.Allocators;
import org.vramkit.tools.replay.CheckerMode;
import org.vramkit.tools.replay.DeviceMemory;
import org.vramkit.tools.replay.Progress;
import org.vramkit.tools.replay.Replay;
import org.vramkit.tools.replay.ReplayOptions;
import org.vramkit.tools.replay.VariedReplay;
import org.vramkit.tools.replay.VariedResult;
import org.vramkit.tools.report.ReplayJson;
import org.vramkit.tools.report.ReplayPage;
import org.vramkit.tools.report.ReplayTable;
import org.vramkit.tools.report.Style;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.TraceException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vramkit replay}: recorded allocations through an allocator. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Replays recorded allocations through an allocator and prints its memory and time.",
      "",
      "Formats are found by content, plain or gzip: CSV (action,addr,size,stream,time_us), RMM"
          + " logs, PyTorch memory snapshots as pickle or JSON. A file that cannot be used is named"
          + " on standard error, the others are replayed, and the exit code is 2.",
      "",
      "One replay is a draw: the place of one block decides the places of all later ones."
          + " Compare the means over --variations 10.",
      "",
      "A free counts when it was completed. Every allocation is written by a kernel on its stream,"
          + " at the trace's own time. On the simulator, time at the driver is modelled: what a"
          + " real driver would take for the same calls, by measured costs of an H200."
          + " '%% of run' divides it by the time that the program took when it was recorded, if"
          + " that was 10 ms or more."
          + " ns/event is measured by this machine's clock: time within allocate and close, driver"
          + " calls included, simulated ones on the simulator.",
      ""
    })
final class ReplayCommand implements Callable<Integer> {
  private final Errors errors;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "TRACE", arity = "1..*", description = "Recorded allocations.")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      description =
          "Where to replay; see 'vramkit devices'. Default: what -Dvramkit.backend or"
              + " VRAMKIT_BACKEND names, else "
              + ReplayOptions.SIMULATOR
              + ".")
  private @Nullable String backend;

  @Option(
      names = "--device-memory",
      paramLabel = "SIZE",
      converter = DeviceMemoryConverter.class,
      description =
          "Memory of the simulated device, such as 16GiB, up to 8TiB; or a multiple of what each"
              + " trace requests at once, such as 1.05x. Default: 80GiB.")
  private @Nullable DeviceMemory deviceMemory;

  @Option(
      names = "--kernel-micros",
      paramLabel = "N",
      converter = KernelMicros.class,
      description =
          "Shortest time of the kernel after each allocation on the simulated device, in"
              + " microseconds. With 1000, streams never drain: the replay shows the memory that"
              + " is reserved while no stream may take another's. At most 60000000, a minute."
              + " Default: 0.")
  private long kernelMicros;

  @Option(
      names = "--repeat",
      paramLabel = "N",
      converter = Passes.class,
      description = "Passes over each trace, 1 to 1000; the last is the steady one. Default: 1.")
  private long repeat = 1;

  @Option(
      names = "--variations",
      paramLabel = "N",
      converter = Variations.class,
      description =
          "Replays each trace in N variations, 1 to 1000, and prints mean and worst of their"
              + " figures. The first is the trace itself. In the others sizes differ by up to 15"
              + " %%, equal ones alike, and the pace by up to 20 %%. Default: 1.")
  private long variations = 1;

  @Option(
      names = "--checker",
      paramLabel = "MODE",
      description =
          "One of ${COMPLETION-CANDIDATES}. on: the simulator's checker judges each replay. It"
              + " answers queries of streams more strictly, which changes memory and time. off:"
              + " no replay is judged. both: figures come from replays without the checker,"
              + " hazards from one more replay of the trace with it. Default: both on the"
              + " simulator.")
  private @Nullable CheckerMode checker;

  @Option(
      names = "--allocator",
      paramLabel = "NAME",
      completionCandidates = AllocatorNames.class,
      description = "One of ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private String allocator = Allocators.DEFAULT;

  @Option(
      names = "--option",
      paramLabel = "KEY=VALUE",
      description =
          "An option of the caching allocator, listed below; may be repeated, and of one key the"
              + " last counts.")
  private Map<String, String> options = new LinkedHashMap<>();

  @Option(names = "--json", description = "Print one JSON document instead of a table.")
  private boolean json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Also write a page with memory over time.")
  private @Nullable Path html;

  ReplayCommand(Errors errors) {
    this.errors = errors;
  }

  /** Returns the end of the help: every option of the caching allocator, and when a run fails. */
  static String[] footer() {
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add("Options of the caching allocator, for --option:");
    Allocators.describeOptions().forEach(line -> lines.add("  " + line.replace("%", "%%")));
    lines.add("");
    lines.add(
        "The run fails (exit code 1) if an allocation fails, the checker finds a hazard, or memory"
            + " leaks.");
    return lines.toArray(new String[0]);
  }

  @Override
  public Integer call() {
    String name = backend == null ? defaultBackend() : backend;
    ReplayOptions replayOptions =
        new ReplayOptions(
            name,
            deviceMemory,
            Duration.ofNanos(1000 * kernelMicros),
            checker == null ? defaultChecker(name) : checker,
            allocator,
            options,
            (int) repeat);
    Allocators.check(allocator, options);
    OutputFile page =
        html == null ? null : new OutputFile("--html", html, OutputFile.Kind.HTML_PAGE);
    if (page != null) {
      page.check(files);
    }
    if (backend == null) {
      // Fails if the user named a backend that cannot be used.
      ConfiguredBackend.check();
    }
    Replay.check(replayOptions, "--option");
    List<VariedResult> results = new ArrayList<>();
    List<Trace> shown = new ArrayList<>();
    Function<@Nullable Progress, Integer> work =
        overall ->
            files.stream()
                .mapToInt(file -> replayFile(file, replayOptions, overall, results, shown))
                .reduce(Errors.OK, Math::max);
    int code =
        files.size() == 1 ? work.apply(null) : TerminalProgress.overFiles(files.size(), work);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.print(ReplayJson.of(results));
    } else if (!results.isEmpty()) {
      out.print(ReplayTable.of(results, new Style(spec.commandLine().getColorScheme().ansi())));
    }
    if (page != null) {
      page.write(ReplayPage.of(results, shown)::write);
    }
    return code;
  }

  private static String defaultBackend() {
    String configured = Backends.getConfiguredName();
    return configured == null ? ReplayOptions.SIMULATOR : configured;
  }

  private static CheckerMode defaultChecker(String backend) {
    return backend.equals(ReplayOptions.SIMULATOR) ? CheckerMode.BOTH : CheckerMode.OFF;
  }

  /**
   * Replays the traces of a file and prints what failed in them.
   *
   * @param overall the bar over several files; null if this is the only one
   * @param results takes the figures
   * @param shown takes the trace of each
   * @return the exit code
   */
  private int replayFile(
      Path file,
      ReplayOptions replayOptions,
      @Nullable Progress overall,
      List<VariedResult> results,
      List<Trace> shown) {
    int code = Errors.OK;
    try {
      List<Trace> traces = TraceReading.forReplay(file, html != null);
      for (Trace trace : traces) {
        VariedResult result = replay(trace, replayOptions, overall, traces.size());
        results.add(result);
        shown.add(trace);
        for (String problem : result.getProblems()) {
          errors.print(trace.getName() + ": " + problem);
          code = Math.max(code, Errors.FAILED);
        }
      }
    } catch (TraceException e) {
      code = errors.on(e);
    } catch (RuntimeException | OutOfMemoryError e) {
      code = errors.on(file + ": the replay failed: ", e);
    }
    return code;
  }

  private VariedResult replay(
      Trace trace, ReplayOptions replayOptions, @Nullable Progress overall, int traces) {
    int count = (int) variations;
    long events = VariedReplay.countEvents(trace, replayOptions, count);
    if (overall == null) {
      return TerminalProgress.during(
          trace.getName(),
          events,
          progress -> VariedReplay.run(trace, replayOptions, count, progress));
    }
    return VariedReplay.run(
        trace, replayOptions, count, new ShareOfFile(overall, 1000.0 / traces / events));
  }

  /** Turns the events of a trace into its share of a file's 1000 steps. */
  private static final class ShareOfFile implements Progress {
    private final Progress overall;
    private final double stepsPerEvent;
    private double due;

    ShareOfFile(Progress overall, double stepsPerEvent) {
      this.overall = overall;
      this.stepsPerEvent = stepsPerEvent;
    }

    @Override
    public void advance(long events) {
      due += events * stepsPerEvent;
      long whole = (long) due;
      due -= whole;
      overall.advance(whole);
    }
  }

  /** More than that, and the virtual time of a long trace would overflow. */
  static final class KernelMicros extends WholeNumber {
    KernelMicros() {
      super(0, 60_000_000);
    }
  }

  /** More passes tell nothing new. */
  static final class Passes extends WholeNumber {
    Passes() {
      super(1, 1000);
    }
  }

  /** A mean over a thousand variations hardly changes with more. */
  static final class Variations extends WholeNumber {
    Variations() {
      super(1, 1000);
    }
  }

  /** For the help text. */
  static final class AllocatorNames extends ArrayList<String> {
    private static final long serialVersionUID = 1L;

    AllocatorNames() {
      super(Allocators.getNames());
    }
  }
}
