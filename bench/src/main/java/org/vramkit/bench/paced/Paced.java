package org.vramkit.bench.paced;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.bench.MeasuredBackend;
import org.vramkit.cuda.CudaBackend;
import org.vramkit.cuda.DriverCallMeter;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.tools.SizeConverter;
import org.vramkit.tools.WholeNumber;
import org.vramkit.tools.replay.DriverFigures;
import org.vramkit.tools.trace.Trace;
import org.vramkit.tools.trace.Traces;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Replays recorded programs at recorded pace and at full speed, and prints the cost of each pass.
 */
@Command(
    name = "paced",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "Replays recorded programs through the caching allocator at recorded pace.")
public final class Paced implements Callable<Integer> {
  private static final double WARM_UP_PACE = 0.01;

  @Parameters(paramLabel = "TRACE", arity = "1..*", description = "recorded programs")
  private List<Path> files = new ArrayList<>();

  @Option(names = "--backend", description = "name of the backend", defaultValue = "sim")
  private String backendName = "sim";

  @Option(
      names = "--pace",
      split = ",",
      description = "any of ${COMPLETION-CANDIDATES}",
      defaultValue = "recorded,full")
  private List<Pace> paces = List.of(Pace.values());

  @Option(
      names = "--passes",
      description = "number of passes for each pace",
      defaultValue = "3",
      converter = WholeNumber.FromOne.class)
  private long passes = 3;

  @Option(
      names = "--warm-up",
      paramLabel = "EVENTS",
      description = "number of events to replay fast before timing; 0 for a cold JVM",
      converter = WholeNumber.FromZero.class,
      defaultValue = "1000000")
  private long warmUp = 1_000_000;

  @Option(names = "--option", description = "allocator option KEY=VALUE", paramLabel = "KEY=VALUE")
  private Map<String, String> options = new LinkedHashMap<>();

  @Option(
      names = "--busy",
      paramLabel = "SIZE",
      description =
          "additional memory to fill after each allocation, such as 256MiB, so that streams lag",
      converter = SizeConverter.class,
      defaultValue = "0")
  private long busyBytes;

  @Option(
      names = "--driver",
      description = "add driver calls to the JSON; timing them takes time too")
  private boolean driver;

  @Option(names = "--json", paramLabel = "FILE", description = "write a line of JSON for each run")
  private @Nullable Path json;

  private Paced() {}

  /** Runs the command and exits with its code. */
  public static void main(String[] arguments) {
    System.exit(execute(arguments));
  }

  /** Runs the command and returns its exit code. */
  static int execute(String... arguments) {
    return new CommandLine(new Paced())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .execute(arguments);
  }

  @Override
  public Integer call() throws IOException {
    List<Trace> traces = files.stream().map(Traces::read).toList();
    List<PacedRun> runs = new ArrayList<>();
    try (Backend backend = MeasuredBackend.open(backendName)) {
      Device device = backend.getDevice(0);
      System.out.println(
          device.getProperties().name() + ", " + backendName + ", options " + options);
      System.out.println(PacedRun.header());
      warmUp(traces, device);
      for (Trace trace : traces) {
        for (Pace pace : paces) {
          PacedRun run = run(trace, device, pace);
          System.out.println(run);
          runs.add(run);
        }
      }
    }
    if (json != null) {
      ObjectMapper mapper = new ObjectMapper();
      List<String> lines = new ArrayList<>();
      for (PacedRun run : runs) {
        lines.add(mapper.writeValueAsString(run));
      }
      Files.write(json, lines);
    }
    return 0;
  }

  /**
   * Replays the traces until the JVM has compiled the code, with allocators that are closed
   * afterwards.
   */
  private void warmUp(List<Trace> traces, Device device) {
    long played = 0;
    while (played < warmUp) {
      for (Trace trace : traces) {
        play(trace, device, WARM_UP_PACE, 1);
        played += trace.getEventCount();
      }
    }
  }

  private PacedRun run(Trace trace, Device device, Pace pace) {
    // Collect garbage of previous runs.
    System.gc();
    List<Figures> figures = play(trace, device, pace.factor, (int) passes);
    String file = String.valueOf(Path.of(trace.getName()).getFileName());
    return new PacedRun(
        "vramkit-" + backendName,
        warmUp == 0 ? "cold" : "warm",
        Arrays.asList(file.split("\\.", 2)).get(0),
        pace.name().toLowerCase(Locale.ROOT),
        trace.getNanos(trace.getEventCount() - 1) / 1e6,
        figures.get(0),
        figures.size() > 1 ? figures.get(1) : null);
  }

  /** Replays through a fresh allocator; returns figures of the first pass and of later ones. */
  private List<Figures> play(Trace trace, Device device, double pace, int count) {
    int events = trace.getEventCount();
    CallTimes first = new CallTimes(events);
    CallTimes later = new CallTimes(events * (count - 1));
    var builder = CachingAllocator.builder(device);
    options.forEach(builder::set);
    try (Player player = new Player(trace, device, pace, busyBytes);
        CachingAllocator allocator = builder.build()) {
      List<Figures> figures = new ArrayList<>();
      figures.add(play(player, allocator, trace, first, 1));
      if (count > 1) {
        figures.add(play(player, allocator, trace, later, count - 1));
      }
      return figures;
    }
  }

  private Figures play(
      Player player, CachingAllocator allocator, Trace trace, CallTimes calls, int passes) {
    try (DriverCallMeter meter = driver ? measure(allocator.getDevice()) : null) {
      for (int pass = 0; pass < passes; pass++) {
        player.play(allocator, calls);
      }
      return calls.figures(ratio(allocator, trace), meter == null ? null : DriverFigures.of(meter));
    }
  }

  /** Returns a running meter, or null if the backend is not a CUDA backend. */
  private static @Nullable DriverCallMeter measure(Device device) {
    return device.getBackend() instanceof CudaBackend cuda ? cuda.measure() : null;
  }

  private static double ratio(CachingAllocator allocator, Trace trace) {
    long reserved = allocator.getStatistics().reserved().peak();
    return (double) reserved / Math.max(1, trace.getRequestedPeakBytes());
  }
}
