package org.vramkit.bench.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Event;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.tools.WholeNumber;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Runs simulated requests, each on a new stream that waits for the previous one, while the host
 * never waits. Prints the used Java heap after each quarter. Exits with 0 if the last quarter
 * needed at most twice the heap of the first, else 1.
 */
@Command(
    name = "chained-streams",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "Simulated streams in a chain, under the checker: memory grows linearly.")
public final class ChainedStreams implements Callable<Integer> {
  private static final int PARTS = 4;
  private static final long BYTES = 4096;

  @Option(
      names = "--streams",
      description = "number of streams",
      defaultValue = "16000",
      converter = WholeNumber.FromOne.class)
  private long streams = 16_000;

  private ChainedStreams() {}

  /** Runs the command and exits with its code. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new ChainedStreams()).execute(arguments));
  }

  @Override
  public Integer call() {
    try (SimBackend backend =
        SimBackend.builder()
            .device(DeviceProfile.H200)
            .costModel(CostModel.FREE)
            .bytes(false)
            .build()) {
      return run(backend.getDevice(0));
    }
  }

  private int run(SimDevice device) {
    List<SimStream> made = new ArrayList<>();
    List<Allocation> results = new ArrayList<>();
    long[] growth = new long[PARTS];
    long before = heapInUse();
    try (CachingAllocator allocator = CachingAllocator.builder(device).build();
        Event done = device.createEvent()) {
      for (int part = 0; part < PARTS; part++) {
        for (long i = 0; i < streams / PARTS; i++) {
          SimStream stream = device.createStream();
          Allocation scratch = allocator.allocate(BYTES, stream);
          Allocation result = allocator.allocate(BYTES, stream);
          if (!results.isEmpty()) {
            stream.waitFor(done);
            Allocation previous = results.remove(0);
            launch(stream, SimKernel.named("use").reads(previous.getAddress(), BYTES));
            previous.recordUse(stream);
            previous.close();
          }
          launch(stream, SimKernel.named("scratch").writes(scratch.getAddress(), BYTES));
          launch(stream, SimKernel.named("result").writes(result.getAddress(), BYTES));
          done.record(stream);
          scratch.close();
          results.add(result);
          made.add(stream);
        }
        long now = heapInUse();
        growth[part] = now - before;
        before = now;
        System.out.printf(
            Locale.ROOT,
            "%,9d streams  %,8d KiB in use, %,8d more  %d hazards%n",
            made.size(),
            now >> 10,
            growth[part] >> 10,
            device.getBackend().getHazardCount());
      }
      results.forEach(Allocation::close);
      device.synchronize();
    }
    made.forEach(SimStream::close);
    return growth[PARTS - 1] <= 2 * growth[0] ? 0 : 1;
  }

  private static void launch(SimStream stream, SimKernel.Builder kernel) {
    stream.launch(kernel.taking(1000).build());
  }

  private static long heapInUse() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
