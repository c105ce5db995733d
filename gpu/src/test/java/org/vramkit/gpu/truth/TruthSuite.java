package org.vramkit.gpu.truth;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.zip.CRC32;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.discovery.Backends;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.schedule.Schedule;

/**
 * Asks a backend what it does, and prints {@code id | question | observed}, one answer a line.
 * Nothing that it prints depends on time. Usage: {@code TruthSuite BACKEND [--warm] [--programs N]
 * [--answers]}.
 */
public final class TruthSuite {
  /** Programs that share a backend. */
  private static final int BATCH = 200;

  /** One batch of so many uses managed memory. */
  private static final int MANAGED = 4;

  private static final Map<String, Topic> TOPICS = new LinkedHashMap<>();

  /** Topics that need two devices. */
  private static final Map<String, PairTopic> PAIRS = new LinkedHashMap<>();

  static {
    TOPICS.put("plain memory", new PlainMemory());
    TOPICS.put("addresses", new Addresses());
    TOPICS.put("virtual memory", new VirtualRanges());
    TOPICS.put("pools", new Pools());
    TOPICS.put("reuse of pools", new PoolReuse());
    TOPICS.put("streams and events", new Streams());
    TOPICS.put("waiting", new Waiting());
    TOPICS.put("captures", new Captures());
    TOPICS.put("closes in captures", new CaptureCloses());
    TOPICS.put("graphs", new GraphLaunches());
    TOPICS.put("host memory", new HostMemory());
    TOPICS.put("kernels", new Kernels());
    PAIRS.put("memory of the other device", new PairMemory());
    PAIRS.put("pools of the other device", new PairPools());
    PAIRS.put("waiting beside the other device", new PairWaiting());
    PAIRS.put("captures and the other device", new PairCaptures());
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
    int count = options.indexOf("--programs");
    int programs = count < 0 ? 0 : Integer.parseInt(arguments[count + 1]);
    if (options.contains("--warm")) {
      new TruthSuite(open, System.err::println).probes();
    }
    TruthSuite suite = new TruthSuite(open, System.out::println);
    suite.probes();
    suite.pairs();
    suite.programs(programs, options.contains("--answers"));
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
      apart(
          () -> {
            try (Backend backend = open.apply(1);
                Lab lab = new Lab(backend, 0, lines)) {
              each.getValue().run(lab);
            }
          });
    }
  }

  /** Makes all probes of two devices, or says that the backend has only one. */
  void pairs() throws InterruptedException {
    for (Map.Entry<String, PairTopic> each : PAIRS.entrySet()) {
      lines.accept("# two devices: " + each.getKey());
      apart(
          () -> {
            try (Backend backend = open.apply(2)) {
              if (backend.getDevices().size() < 2) {
                lines.accept("# skipped: the backend has one device");
                return;
              }
              try (Lab first = new Lab(backend, 0, lines);
                  Lab second = new Lab(backend, 1, lines)) {
                each.getValue().run(first, second);
              }
            }
          });
    }
  }

  /** Runs the first random programs, and prints a digest of each. */
  void programs(int count, boolean answers) throws InterruptedException {
    lines.accept("# programs");
    for (int first = 0; first < count; first += BATCH) {
      int from = first;
      apart(() -> batch(from, Math.min(count, from + BATCH), answers));
    }
  }

  private void batch(int from, int to, boolean answers) {
    try (Backend backend = open.apply(1);
        Lab lab = new Lab(backend, 0, lines)) {
      Device device = lab.device;
      List<Stream> streams = new ArrayList<>();
      streams.add(device.getDefaultStream());
      streams.add(device.createStream(StreamKind.BLOCKING));
      streams.add(device.createStream());
      streams.add(device.createStream());
      boolean managed = from / BATCH % MANAGED == MANAGED - 1;
      // The driver may still be taking back what the backend before had.
      new Program(device, streams, -1, managed).run();
      for (int seed = from; seed < to; seed++) {
        List<String> found = new Program(device, streams, seed, managed).run();
        if (answers) {
          int program = seed;
          found.forEach(each -> lines.accept("R" + program + "." + each));
        }
        lines.accept("R" + seed + " | program of " + Program.CALLS + " calls | " + digest(found));
      }
      streams.forEach(Stream::close);
    }
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
