package org.vramkit.gpu.truth;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.LongFunction;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Backend;
import org.vramkit.api.discovery.Backends;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.schedule.Schedule;

/**
 * Asks a backend what it does, and prints {@code id | question | observed}, one answer a line.
 * Nothing that it prints depends on time. Usage: {@code TruthSuite BACKEND PART... [--warm]
 * [--answers]}, where a part is {@code probes}, {@code pairs=I}, {@code programs=N} or N programs
 * of another kind, such as {@code pair-pool-programs=N}, or {@code lost=I}, which ends CUDA for the
 * process.
 */
public final class TruthSuite {
  private static final Map<String, Topic> TOPICS = new LinkedHashMap<>();

  /** Topics that need two devices. */
  private static final Map<String, PairTopic> PAIRS = new LinkedHashMap<>();

  static {
    TOPICS.put("plain memory", new PlainMemory());
    TOPICS.put("addresses", new Addresses());
    TOPICS.put("virtual memory", new VirtualRanges());
    TOPICS.put("pools", new Pools());
    TOPICS.put("reuse of pools", new PoolReuse());
    TOPICS.put("closed pools", new ClosedPools());
    TOPICS.put("streams and events", new Streams());
    TOPICS.put("waiting", new Waiting());
    TOPICS.put("captures", new Captures());
    TOPICS.put("closes in captures", new CaptureCloses());
    TOPICS.put("graphs", new GraphLaunches());
    TOPICS.put("host memory", new HostMemory());
    TOPICS.put("kernels", new Kernels());
    TOPICS.put("releases of pools", new PoolReleases());
    TOPICS.put("captures of two threads", new CaptureThreads());
    TOPICS.put("waiting on the same stream", new OwnStreams());
    TOPICS.put("ranges of host memory", new HostRanges());
    TOPICS.put("scarce memory", new Scarcity());
    PAIRS.put("memory of the other device", new PairMemory());
    PAIRS.put("pools of the other device", new PairPools());
    PAIRS.put("waiting beside the other device", new PairWaiting());
    PAIRS.put("captures and the other device", new PairCaptures());
    PAIRS.put("calls while the other is captured", new PairCalls());
    PAIRS.put("objects of the other device", new PairObjects());
    PAIRS.put("changes of access", new PairAccess());
    PAIRS.put("what waits for what", new PairOrder());
    PAIRS.put("copies between kinds of memory", new PairCopies());
  }

  private final IntFunction<Backend> open;
  private final Consumer<String> lines;

  /**
   * Creates a run.
   *
   * @param open opens the backend anew for each topic, with at least as many devices if it has them
   */
  TruthSuite(IntFunction<Backend> open, Consumer<String> lines) {
    this.open = open;
    this.lines = lines;
  }

  /** Runs the suite; the first argument is the name of the backend. */
  public static void main(String[] arguments) throws InterruptedException {
    List<String> options = List.of(arguments);
    IntFunction<Backend> open =
        arguments[0].equals(SimBackend.NAME)
            ? TruthSuite::simulator
            : devices -> Backends.open(arguments[0]);
    @Nullable Consumer<String> warm = options.contains("--warm") ? System.err::println : null;
    boolean answers = options.contains("--answers");
    for (String each : options.subList(1, options.size())) {
      if (!each.startsWith("--")) {
        if (warm != null && !each.startsWith("lost")) {
          new TruthSuite(open, warm).part(each, answers);
        }
        new TruthSuite(open, System.out::println).part(each, answers);
      }
    }
  }

  private void part(String part, boolean answers) throws InterruptedException {
    String[] words = part.split("=", 2);
    int number = words.length < 2 ? 0 : Integer.parseInt(words[1]);
    switch (words[0]) {
      case "probes" -> probes();
      case "pairs" -> pairs(List.copyOf(PAIRS.keySet()).get(number));
      case "lost" -> lost(number);
      default -> programs(kind(words[0]), number, answers);
    }
  }

  private static RandomPrograms kind(String part) {
    return Arrays.stream(RandomPrograms.values())
        .filter(each -> each.part.equals(part))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no part '" + part + "'"));
  }

  /** Opens a simulator that is as a driver where it is stricter by default. */
  static Backend simulator(int devices) {
    SimBackend.Builder builder =
        SimBackend.builder()
            .schedule(Schedule.timed())
            .reuseAddresses(true)
            .checker(CheckerOptions.OFF);
    for (int i = 0; i < devices; i++) {
      builder.device(DeviceProfile.H200);
    }
    return builder.build();
  }

  /** Makes all probes. */
  void probes() throws InterruptedException {
    for (Map.Entry<String, Topic> each : TOPICS.entrySet()) {
      lines.accept("# " + each.getKey());
      alone(each.getValue());
    }
  }

  private void alone(Topic topic) throws InterruptedException {
    apart(
        () -> {
          try (Backend backend = open.apply(1);
              Lab lab = new Lab(backend, 0, lines)) {
            topic.run(lab);
          }
        });
  }

  /** Makes all probes of two devices, or says that the backend has only one. */
  void pairs() throws InterruptedException {
    for (String each : PAIRS.keySet()) {
      pairs(each);
    }
  }

  private void pairs(String topic) throws InterruptedException {
    lines.accept("# two devices: " + topic);
    pair(Objects.requireNonNull(PAIRS.get(topic)));
  }

  private void pair(PairTopic topic) throws InterruptedException {
    apart(
        () -> {
          try (Backend backend = open.apply(2)) {
            if (backend.getDevices().size() < 2) {
              lines.accept("# skipped: the backend has one device");
              return;
            }
            try (Lab first = new Lab(backend, 0, lines);
                Lab second = new Lab(backend, 1, lines)) {
              topic.run(first, second);
            }
          }
        });
  }

  /**
   * Runs the first random programs of a kind, and prints a digest of each, or says that the backend
   * has too few devices.
   */
  void programs(RandomPrograms kind, int count, boolean answers) throws InterruptedException {
    lines.accept("# " + kind.title);
    for (int first = 0; first < count; first += RandomPrograms.BATCH) {
      int from = first;
      int to = Math.min(count, from + RandomPrograms.BATCH);
      if (kind.devices == 1) {
        alone(lab -> run(kind, List.of(lab), from, to, answers));
      } else {
        pair((one, other) -> run(kind, List.of(one, other), from, to, answers));
      }
    }
  }

  private void run(RandomPrograms kind, List<Lab> labs, int from, int to, boolean answers) {
    LongFunction<RandomProgram> made = kind.on(labs, from);
    // The driver may still be taking back what the backend before had.
    made.apply(-1).run();
    for (int seed = from; seed < to; seed++) {
      List<String> found = made.apply(seed).run();
      String id = kind.letters + seed;
      if (answers) {
        found.forEach(each -> lines.accept(id + "." + each));
      }
      String on = kind.devices == 1 ? "" : " on two devices";
      lines.accept(id + " | program of " + Program.CALLS + " calls" + on + " | " + digest(found));
    }
  }

  /** Loses the context of a device in one of the ways that there are. */
  void lost(int way) throws InterruptedException {
    lines.accept("# a lost context");
    apart(
        () -> {
          try (Backend backend = open.apply(2)) {
            LostContext.run(backend, way, lines);
          }
        });
  }

  private static String digest(List<String> answers) {
    CRC32 sum = new CRC32();
    answers.forEach(each -> sum.update((each + "\n").getBytes(StandardCharsets.UTF_8)));
    return "%08x".formatted(sum.getValue());
  }

  /** Runs on a new thread, because the driver keeps a state for each. */
  private static void apart(Runnable action) throws InterruptedException {
    Throwable[] failure = new Throwable[1];
    Thread thread =
        new Thread(
            () -> {
              try {
                action.run();
              } catch (Throwable e) {
                failure[0] = e;
              }
            });
    thread.start();
    thread.join();
    if (failure[0] != null) {
      throw new IllegalStateException("a topic has failed", failure[0]);
    }
  }
}
