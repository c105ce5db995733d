package org.vramkit.bench.simulator;

import java.util.Locale;
import java.util.concurrent.Callable;
import org.vramkit.tools.WholeNumber;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Runs many simulated operations under the checker and prints the used Java heap after each tenth.
 * Exits with 0 if the heap at the end is at most twice that after the first tenth, else 1.
 */
@Command(
    name = "long-program",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "Many simulated operations under the checker, whose memory is bounded.")
public final class LongProgram implements Callable<Integer> {
  private static final int PARTS = 10;

  @Option(
      names = "--operations",
      description = "number of operations",
      defaultValue = "10000000",
      converter = WholeNumber.FromOne.class)
  private long operations = 10_000_000;

  @Option(
      names = "--seed",
      description = "random seed",
      defaultValue = "1",
      converter = WholeNumber.Any.class)
  private long seed = 1;

  private LongProgram() {}

  /** Runs the command and exits with its code. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new LongProgram()).execute(arguments));
  }

  @Override
  public Integer call() {
    long first = 0;
    long last = 0;
    try (SimulatedProgram program = new SimulatedProgram(seed, true)) {
      for (int part = 1; part <= PARTS; part++) {
        for (long i = 0; i < operations / PARTS; i += SimulatedProgram.OPERATIONS_PER_STEP) {
          program.step();
        }
        last = heapInUse();
        first = part == 1 ? last : first;
        System.out.printf(
            Locale.ROOT,
            "%,12d operations  %,8d KiB in use  %d hazards%n",
            operations / PARTS * part,
            last >> 10,
            program.getHazardCount());
      }
    }
    return last <= 2 * first ? 0 : 1;
  }

  private static long heapInUse() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
