package org.vramkit.bench.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.vramkit.api.allocator.AllocatorStatistics;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.tools.SizeConverter;
import org.vramkit.tools.WholeNumber;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Runs random work on several threads and streams of one device. Exits with 0 if all blocks had the
 * expected contents, the statistics are consistent and the device has as much free memory as
 * before, else 1.
 */
@Command(
    name = "soak",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description =
        "Runs random work through the caching allocator and checks the contents of blocks.")
public final class Soak implements Callable<Integer> {
  private static final long WARM_UP_SECONDS = 2;

  @Option(names = "--backend", description = "name of the backend", defaultValue = "sim")
  private String backendName = "sim";

  @Option(
      names = "--seconds",
      description = "duration in seconds",
      defaultValue = "20",
      converter = WholeNumber.FromOne.class)
  private long seconds = 20;

  @Option(
      names = "--threads",
      description = "number of threads, each with its own stream, 1 to 1024",
      defaultValue = "8",
      converter = Threads.class)
  private long threads = 8;

  @Option(
      names = "--live",
      description = "maximum of live bytes of all threads",
      defaultValue = "1GiB",
      converter = SizeConverter.class)
  private long live = ByteSize.GIB;

  @Option(
      names = "--seed",
      description = "random seed",
      defaultValue = "1",
      converter = WholeNumber.Any.class)
  private long seed = 1;

  @Option(names = "--option", description = "allocator option KEY=VALUE", paramLabel = "KEY=VALUE")
  private List<String> options = new ArrayList<>();

  private Soak() {}

  /** Bounds the number of threads. */
  static final class Threads extends WholeNumber {
    Threads() {
      super(1, 1024);
    }
  }

  /** Runs the command and exits with its code. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Soak()).execute(arguments));
  }

  @Override
  public Integer call() throws InterruptedException, ExecutionException {
    try (Backend backend = Backends.open(backendName)) {
      Device device = backend.getDevice(0);
      List<Stream> streams = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        streams.add(device.createStream());
      }
      // The driver allocates memory for itself on first use.
      CachingAllocator first = createAllocator(device);
      Worker.Result warmUp = work(first, streams, WARM_UP_SECONDS);
      device.synchronize();
      first.close();
      long freeBefore = device.getMemoryInfo().freeBytes();
      CachingAllocator allocator = createAllocator(device);
      Worker.Result result = work(allocator, streams, seconds).plus(warmUp);
      device.synchronize();
      AllocatorStatistics statistics = allocator.getStatistics();
      long unaccounted =
          statistics.reserved().current()
              - statistics.getLiveBytes()
              - statistics.cachedBytes()
              - statistics.fragmentBytes();
      allocator.close();
      device.synchronize();
      long lost = freeBefore - device.getMemoryInfo().freeBytes();
      streams.forEach(Stream::close);
      System.out.printf(
          "%s: %s, %d threads, seed %d, %d s%n"
              + "  allocations %d, handed over %d, wrong bytes %d%n"
              + "  reserved peak %s, requested peak %s, pages moved %d, steals %d, waits %d%n"
              + "  live at the end %d, unaccounted bytes %d, bytes not returned %d%n",
          backendName,
          device.getProperties().name(),
          threads,
          seed,
          seconds,
          result.allocations(),
          result.handOvers(),
          result.mismatches(),
          ByteSize.format(statistics.reserved().peak()),
          ByteSize.format(statistics.requested().peak()),
          statistics.pagesMoved(),
          statistics.steals(),
          statistics.synchronizations(),
          statistics.allocations().current(),
          unaccounted,
          lost);
      return result.mismatches() == 0 && unaccounted == 0 && lost == 0 ? 0 : 1;
    }
  }

  private CachingAllocator createAllocator(Device device) {
    var builder = CachingAllocator.builder(device);
    for (String option : options) {
      String[] pair = option.split("=", 2);
      builder.set(pair[0], pair[pair.length - 1]);
    }
    return builder.build();
  }

  private Worker.Result work(CachingAllocator allocator, List<Stream> streams, long duration)
      throws InterruptedException, ExecutionException {
    SplittableRandom random = new SplittableRandom(seed);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(duration);
    long each = live / threads;
    ExecutorService executor = Executors.newFixedThreadPool((int) threads);
    try {
      List<Future<Worker.Result>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        Stream neighbour = streams.get((i + 1) % streams.size());
        running.add(
            executor.submit(
                new Worker(allocator, streams.get(i), neighbour, random.split(), each, end)));
      }
      Worker.Result sum = new Worker.Result(0, 0, 0);
      for (Future<Worker.Result> one : running) {
        sum = sum.plus(one.get());
      }
      return sum;
    } finally {
      executor.shutdown();
    }
  }
}
