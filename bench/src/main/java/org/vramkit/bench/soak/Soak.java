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
 * Random work by several threads on several streams of one device. Ends with 0 if every byte was
 * right, the books add up and the device has as much free memory as before, with 1 otherwise.
 */
@Command(
    name = "soak",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "Random work through the caching allocator; every block is checked.")
public final class Soak implements Callable<Integer> {
  private static final long WARM_UP_SECONDS = 2;

  @Option(names = "--backend", description = "name of the backend", defaultValue = "sim")
  private String backendName = "sim";

  @Option(
      names = "--seconds",
      description = "how long",
      defaultValue = "20",
      converter = WholeNumber.FromOne.class)
  private long seconds = 20;

  @Option(
      names = "--threads",
      description = "threads, each with a stream, 1 to 1024",
      defaultValue = "8",
      converter = Threads.class)
  private long threads = 8;

  @Option(
      names = "--live",
      description = "most live bytes of all threads",
      defaultValue = "1GiB",
      converter = SizeConverter.class)
  private long live = ByteSize.GIB;

  @Option(
      names = "--seed",
      description = "where everything random comes from",
      defaultValue = "1",
      converter = WholeNumber.Any.class)
  private long seed = 1;

  @Option(names = "--option", description = "allocator option KEY=VALUE", paramLabel = "KEY=VALUE")
  private List<String> options = new ArrayList<>();

  private Soak() {}

  /** As many threads as any machine is asked for. */
  static final class Threads extends WholeNumber {
    Threads() {
      super(1, 1024);
    }
  }

  /** Runs it. */
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
      // The first work of its kind makes the driver take memory for itself.
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
              + "  live at the end %d, unaccounted bytes %d, bytes not given back %d%n",
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
