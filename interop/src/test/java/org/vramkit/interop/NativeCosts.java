package org.vramkit.interop;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.CheckerOptions;

/**
 * Prints the cost of a pair through C function pointers, compared with hits of the same allocator
 * from Java, and the cost of tensors: medians of rounds that take turns. It is not a test, because
 * machines differ. The simulator has no contents and no checker, and a hit does not call it.
 */
final class NativeCosts {
  private static final int ROUNDS = 9;
  private static final long PAIRS = 2_000_000;
  private static final long BYTES = 4096;
  private static final int TENSORS = 1_000_000;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private NativeCosts() {}

  public static void main(String[] arguments) throws Throwable {
    Consumer library = Consumer.get();
    try (SimBackend backend =
            SimBackend.builder().bytes(false).checker(CheckerOptions.OFF).build();
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Stream stream = backend.getDevice(0).createStream();
        PrivatePool pool = allocator.createPool();
        NativeAllocator natives = NativeAllocator.of(allocator, NativeSignature.SIZE, stream)) {
      double[] hit = new double[ROUNDS];
      double[] inPool = new double[ROUNDS];
      double[] fromC = new double[ROUNDS];
      double[] nothing = new double[ROUNDS];
      NativeCosts costs = new NativeCosts();
      MemorySegment allocateNothing =
          Upcall.bind(
              MethodHandles.lookup(),
              costs,
              "allocateNothing",
              FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
      MemorySegment freeNothing =
          Upcall.bind(
              MethodHandles.lookup(), costs, "freeNothing", FunctionDescriptor.ofVoid(JAVA_LONG));
      for (int round = 0; round < ROUNDS; round++) {
        hit[round] = hits(allocator, stream);
        inPool[round] = hits(pool.getAllocator(), stream);
        fromC[round] = library.pairs(natives.getAllocate(), natives.getFree(), BYTES, PAIRS);
        nothing[round] = library.pairs(allocateNothing, freeNothing, BYTES, PAIRS);
      }
      print("hit", hit);
      print("hit in a private pool", inPool);
      print("pair through C function pointers", fromC);
      print("pair of calls from C that do nothing", nothing);
      tensors(allocator, stream);
    }
  }

  @SuppressWarnings("UnusedMethod")
  private long allocateNothing(long bytes) {
    return bytes;
  }

  @SuppressWarnings({"UnusedMethod", "UnusedVariable"})
  private void freeNothing(long address) {}

  private static double hits(Allocator allocator, Stream stream) {
    long begun = cpuNanos();
    long sum = 0;
    for (long i = 0; i < PAIRS; i++) {
      try (Allocation allocation = allocator.allocate(BYTES, stream)) {
        sum += allocation.getAddress();
      }
    }
    if (sum == 0) {
      throw new AssertionError("nothing was allocated");
    }
    return (cpuNanos() - begun) / (double) PAIRS;
  }

  private static void tensors(CachingAllocator allocator, Stream stream) {
    long[] shape = {2, 3, 5};
    long resident = residentKib();
    long begun = cpuNanos();
    for (int i = 0; i < TENSORS; i++) {
      Dlpack.wrap(
              Dlpack.export(allocator.allocate(120, stream), shape, ElementType.FLOAT32), stream)
          .close();
    }
    double nanos = (cpuNanos() - begun) / (double) TENSORS;
    System.out.printf(
        Locale.ROOT,
        "%-40s %8.1f ns; after %d exported %d, live %d bytes, resident %+d KiB%n",
        "tensor exported, wrapped, given back",
        nanos,
        TENSORS,
        Dlpack.getExportedCount(),
        allocator.getStatistics().getLiveBytes(),
        residentKib() - resident);
  }

  /** Returns the resident memory of the process on Linux; 0 elsewhere. */
  private static long residentKib() {
    try {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .sum();
    } catch (IOException e) {
      return 0;
    }
  }

  /** Returns the processor time of this thread, because others may use the machine. */
  private static long cpuNanos() {
    return THREADS.getCurrentThreadCpuTime();
  }

  private static void print(String what, double[] nanos) {
    Arrays.sort(nanos);
    System.out.printf(Locale.ROOT, "%-40s %8.1f ns%n", what, nanos[nanos.length / 2]);
  }
}
