package org.vramkit.tools;

import java.io.PrintWriter;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.vramkit.tools.replay.UsageException;
import org.vramkit.tools.report.CheckReport;
import org.vramkit.tools.report.CheckReport.Checked;
import org.vramkit.tools.report.Style;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.usage.LargestOwner;
import org.vramkit.tools.usage.PeakLimits;
import org.vramkit.tools.usage.Peaks;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** Implements {@code vramkit check}: fails if the peaks of a recording exceed limits. */
@Command(
    name = "check",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Checks the peaks of a recording against limits. Prints a line on standard error for each"
          + " broken rule; the exit code is then 1.",
      "",
      "Formats are detected as for 'vramkit replay'. Requested bytes are those that the program"
          + " asked for, reserved ones those that the recorded allocator held. A peak that the"
          + " recording does not have is '-' and is not checked.",
      ""
    })
final class CheckCommand implements Callable<Integer> {
  private final Errors errors;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "FILE", description = "Recorded allocations.")
  private Path file = Path.of("");

  @Option(
      names = "--baseline",
      paramLabel = "FILE",
      description = "An earlier recording of the program, for --max-growth.")
  private @Nullable Path baseline;

  @Option(
      names = "--max-peak",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "Limit of the requested and of the reserved peak, such as 8GiB.")
  private @Nullable Long maxPeak;

  @Option(
      names = "--max-ratio",
      paramLabel = "R",
      converter = Ratio.class,
      description = "Limit of the reserved by the requested peak, such as 1.25.")
  private @Nullable BigDecimal maxRatio;

  @Option(
      names = "--max-growth",
      paramLabel = "P%",
      converter = Percent.class,
      description = "Limit of the growth of each peak over the baseline's, such as 5%%.")
  private @Nullable BigDecimal maxGrowth;

  @Option(names = "--json", description = "Print one JSON document instead of a table.")
  private boolean json;

  CheckCommand(Errors errors) {
    this.errors = errors;
  }

  @Override
  public Integer call() {
    checkRules();
    PeakLimits limits = new PeakLimits(maxPeak, maxRatio, maxGrowth);
    List<Checked> all = new ArrayList<>();
    List<Trace> traces = TraceReading.all(file, true);
    List<@Nullable Trace> before = baselines(traces);
    for (int i = 0; i < traces.size(); i++) {
      all.add(checked(traces.get(i), before.get(i), limits));
    }
    PrintWriter out = spec.commandLine().getOut();
    out.print(
        json
            ? CheckReport.json(all)
            : CheckReport.text(all, new Style(spec.commandLine().getColorScheme().ansi())));
    int code = Errors.OK;
    for (Checked each : all) {
      for (PeakLimits.Breach breach : each.breaches()) {
        errors.print(each.trace().getName() + ": " + breach.description() + cause(each, breach));
        code = Errors.FAILED;
      }
    }
    return code;
  }

  /** Names the owner that explains most of a breach, if the recording knows owners or tags. */
  private static String cause(Checked checked, PeakLimits.Breach breach) {
    Optional<String> owner =
        switch (breach.rule()) {
          case MAX_PEAK -> LargestOwner.atPeak(checked.trace());
          case MAX_GROWTH ->
              checked.baseline() == null
                  ? Optional.empty()
                  : LargestOwner.ofGrowth(checked.baseline(), checked.trace());
          // Owners request memory; what is reserved beside it has none.
          case MAX_RATIO -> Optional.empty();
        };
    return owner.map(name -> "; most by " + name).orElse("");
  }

  private void checkRules() {
    if (baseline == null && maxGrowth != null) {
      throw new UsageException("--max-growth needs --baseline FILE; add it or leave it out");
    }
    if (baseline != null && maxGrowth == null) {
      throw new UsageException("--baseline needs --max-growth P%; add it, such as 0%");
    }
    if (maxPeak == null && maxRatio == null && maxGrowth == null) {
      throw new UsageException(
          "no rule is given; add --max-peak SIZE, --max-ratio R, or --baseline FILE with"
              + " --max-growth P%");
    }
  }

  /** Returns the trace of the baseline for each trace, null without a baseline. */
  private List<@Nullable Trace> baselines(List<Trace> traces) {
    List<@Nullable Trace> before = new ArrayList<>();
    if (baseline == null) {
      traces.forEach(each -> before.add(null));
      return before;
    }
    before.addAll(TraceReading.all(baseline, true));
    if (before.size() != traces.size()) {
      throw new UsageException(
          "--baseline: "
              + baseline
              + " has "
              + before.size()
              + " and "
              + file
              + " "
              + traces.size()
              + " devices with memory; record the same devices");
    }
    return before;
  }

  private Checked checked(Trace trace, @Nullable Trace before, PeakLimits limits) {
    Peaks peaks = Peaks.of(trace);
    if (maxRatio != null && peaks.getRatio() == null) {
      throw new UsageException(
          "--max-ratio: "
              + trace.getName()
              + " ("
              + trace.getFormat().getLabel()
              + ") "
              + (peaks.requestedBytes() == 0
                  ? "requests no bytes"
                  : "does not have all reserved memory")
              + "; leave the option out, or name a snapshot with all segments");
    }
    Peaks earlier = before == null ? null : Peaks.of(before);
    return new Checked(trace, peaks, before, earlier, limits.check(peaks, earlier));
  }

  /** Reads a ratio of 1 or more. */
  static final class Ratio implements ITypeConverter<BigDecimal> {
    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}(?:\\.\\d{1,9})?");

    @Override
    public BigDecimal convert(String text) {
      if (NUMBER.matcher(text).matches() && new BigDecimal(text).compareTo(BigDecimal.ONE) >= 0) {
        return new BigDecimal(text);
      }
      throw new TypeConversionException(
          "must be a number of at least 1, such as 1.25, not '" + text + "'");
    }
  }

  /** Reads a percentage of 0 or more, with or without its sign. */
  static final class Percent implements ITypeConverter<BigDecimal> {
    private static final Pattern NUMBER = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?) ?%?");

    @Override
    public BigDecimal convert(String text) {
      var percent = NUMBER.matcher(text);
      if (percent.matches()) {
        return new BigDecimal(percent.group(1));
      }
      throw new TypeConversionException(
          "must be a percentage of at least 0, such as 5%, not '" + text + "'");
    }
  }
}
