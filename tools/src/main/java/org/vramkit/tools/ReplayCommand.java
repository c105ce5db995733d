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

/** Implements {@code vramkit replay}: replays recorded allocations through an allocator. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Replays recorded allocations through an allocator and prints its memory and time.",
      "",
      "Formats are found by content, plain or gzip: CSV (action,addr,size,stream,time_us), RMM"
          + " logs, PyTorch memory snapshots as pickle or JSON. An unreadable file is reported on"
          + " standard error; the others are replayed, and the exit code is 2.",
      "",
      "One replay is one sample: where a block is placed affects all later ones. To compare"
          + " allocators or options, use the means over --variations 10.",
      "",
      "Events happen at their recorded times; a free happens when it was completed. A kernel writes"
          + " each allocation on its stream. On the simulator, driver time is modelled from the"
          + " measured costs of an H200. '%% of run' is its share of the recorded run, for runs of"
          + " 10 ms or more. ns/event is measured by this machine's clock: the time within"
          + " allocate and close, with driver calls, simulated or real.",
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
          "Memory of the simulated device, such as 16GiB, up to 8TiB; or a multiple of the trace's"
              + " requested peak, such as 1.05x. Default: 80GiB.")
  private @Nullable DeviceMemory deviceMemory;

  @Option(
      names = "--kernel-micros",
      paramLabel = "N",
      converter = KernelMicros.class,
      description =
          "Minimum time of the kernel after each allocation on the simulated device, in"
              + " microseconds, at most 60000000. With 1000, streams never drain, so no stream can"
              + " reuse another's memory: the worst case for reserved memory. Default: 0.")
  private long kernelMicros;

  @Option(
      names = "--repeat",
      paramLabel = "N",
      converter = Passes.class,
      description =
          "Passes over each trace, 1 to 1000; the last shows the steady state. Default: 1.")
  private long repeat = 1;

  @Option(
      names = "--variations",
      paramLabel = "N",
      converter = Variations.class,
      description =
          "Replay each trace in N variations, 1 to 1000, and print the mean and the worst of each"
              + " figure. The first is the trace itself. The others change each distinct size by"
              + " up to 15 %% and the pace by up to 20 %%. Default: 1.")
  private long variations = 1;

  @Option(
      names = "--checker",
      paramLabel = "MODE",
      description =
          "One of ${COMPLETION-CANDIDATES}. on: check every replay for hazards. The checker answers"
              + " stream queries as strictly as a driver may, which changes memory and time. off:"
              + " check none. both: take figures from replays without the checker, and hazards"
              + " from one more replay with it. Default: both on the simulator.")
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
          "An option of the caching allocator, listed below. May be repeated; the last value of a"
              + " key counts.")
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

  /** Returns the help's footer: the options of the caching allocator and when a run fails. */
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
    // Fails if the user named a backend that cannot be used.
    if (backend == null) {
      ConfiguredBackend.check();
    } else {
      ConfiguredBackend.checkOption(backend);
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
   * Replays the traces of a file and prints their problems.
   *
   * @param overall progress over all files; null if there is one file
   * @param results receives the figures of each trace
   * @param shown receives the traces for the page
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

  /** Converts the events of a trace to its share of a file's 1000 progress steps. */
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

  /** Bounds kernel times, so that the virtual time of a long trace does not overflow. */
  static final class KernelMicros extends WholeNumber {
    KernelMicros() {
      super(0, 60_000_000);
    }
  }

  /** Bounds the number of passes. */
  static final class Passes extends WholeNumber {
    Passes() {
      super(1, 1000);
    }
  }

  /** Bounds the number of variations; a mean over more hardly changes. */
  static final class Variations extends WholeNumber {
    Variations() {
      super(1, 1000);
    }
  }

  /** Lists the allocators in the help text. */
  static final class AllocatorNames extends ArrayList<String> {
    private static final long serialVersionUID = 1L;

    AllocatorNames() {
      super(Allocators.getNames());
    }
  }
}
