package org.vramkit.bench.driver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.units.ByteSize;
import org.vramkit.cuda.CudaBackend;
import org.vramkit.cuda.DriverCallMeter;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.driver.DriverFunction;

/**
 * Times single driver calls on a real device and prints the median of each in microseconds, beside
 * the value of the simulator's cost model. Usage: {@code DriverCosts [BACKEND]}, by default
 * javacpp. On devices with virtual memory, it also times ranges with several mappings, on an idle
 * and on a busy device.
 */
public final class DriverCosts {
  private static final int ROUNDS = 41;
  private static final long PAGE = 2 * ByteSize.MIB;

  /**
   * Bytes of one queued fill. The {@link #QUEUED_FILLS} together keep an H200 busy for about 20 ms.
   */
  private static final long QUEUED_BYTES = ByteSize.GIB;

  private static final int QUEUED_FILLS = 80;

  /** Functions that act on all mappings of a range in one call. */
  private static final Set<DriverFunction> OF_RANGES =
      Set.of(DriverFunction.MEM_SET_ACCESS, DriverFunction.MEM_UNMAP);

  /** A case to measure: {@code count} mappings of {@code bytes} each, on an idle or busy device. */
  private record Case(String suffix, int count, long bytes, boolean busy) {
    double modelledMicros(DriverFunction function) {
      CostModel model = CostModel.H200;
      if (!OF_RANGES.contains(function)) {
        return model.getNanos(function, bytes, busy) / 1e3;
      }
      long[] mappings = new long[count];
      Arrays.fill(mappings, bytes);
      return model.getRangeNanos(function, mappings, busy) / 1e3;
    }
  }

  private final CudaBackend backend;
  private final Device device;
  private final Map<String, List<Double>> samples = new TreeMap<>();
  private final Map<String, Double> modelled = new TreeMap<>();

  private DriverCosts(CudaBackend backend) {
    this.backend = backend;
    this.device = backend.getDevice(0);
  }

  /** Measures and prints the costs. */
  public static void main(String[] arguments) {
    String name = arguments.length > 0 ? arguments[0] : "javacpp";
    try (Backend opened = Backends.open(name)) {
      if (!(opened instanceof CudaBackend cuda)) {
        System.err.println(
            "bench: backend '" + name + "' has no CUDA driver to time; name javacpp, jcuda or ffm");
        System.exit(2);
        return;
      }
      DriverCosts costs = new DriverCosts(cuda);
      costs.measure();
      costs.print();
    }
  }

  private void measure() {
    for (int round = 0; round < ROUNDS; round++) {
      for (long bytes : new long[] {ByteSize.MIB, 64 * ByteSize.MIB, 2 * ByteSize.GIB}) {
        timed(
            new Case(" of " + ByteSize.format(bytes), 1, bytes, false),
            () -> device.getMemory().free(device.getMemory().allocate(bytes)));
      }
      timed(new Case("", 1, 0, false), this::streamsAndEvents);
      timed(new Case("", 1, 0, false), device::getMemoryInfo);
      if (device.supports(Capability.VIRTUAL_MEMORY)) {
        for (int pages : new int[] {1, 16, 128}) {
          mapped(1, pages * PAGE);
          if (pages > 1) {
            mapped(pages, PAGE);
          }
        }
      }
    }
  }

  /** Times a range on an idle device, and again with queued work. */
  private void mapped(int count, long bytes) {
    String range = " of " + count + " x " + ByteSize.format(bytes);
    timed(new Case(range, count, bytes, false), () -> pages(count, bytes));
    try (Stream stream = device.createStream()) {
      long work = device.getMemory().allocate(QUEUED_BYTES);
      for (int i = 0; i < QUEUED_FILLS; i++) {
        stream.fill(work, (byte) i, QUEUED_BYTES);
      }
      timed(new Case(range + ", busy", count, bytes, true), () -> pages(count, bytes));
      stream.synchronize();
      device.getMemory().free(work);
    }
  }

  private void streamsAndEvents() {
    try (Stream stream = device.createStream();
        Stream other = device.createStream();
        Event event = device.createEvent()) {
      event.record(stream);
      event.isComplete();
      event.synchronize();
      other.waitFor(event);
      stream.isIdle();
      stream.synchronize();
      device.synchronize();
    }
  }

  /** Maps {@code count} handles to adjacent addresses, then unmaps and releases them. */
  private void pages(int count, long bytes) {
    VirtualMemory memory = device.getVirtualMemory();
    long total = count * bytes;
    long range = memory.reserve(total);
    long[] handles = new long[count];
    for (int i = 0; i < count; i++) {
      handles[i] = memory.create(bytes);
      memory.map(range + i * bytes, bytes, handles[i]);
    }
    memory.setAccess(range, total, device);
    memory.unmap(range, total);
    for (long handle : handles) {
      memory.release(handle);
    }
    memory.unreserve(range, total);
  }

  /** Runs an action. Adds the mean time of each driver function that it calls as a sample. */
  private void timed(Case subject, Runnable action) {
    try (DriverCallMeter meter = backend.measure()) {
      action.run();
      Map<String, Long> counts = meter.getCounts();
      meter
          .getNanos()
          .forEach(
              (call, nanos) -> {
                long count = counts.getOrDefault(call, 1L);
                String row = call + subject.suffix;
                samples.computeIfAbsent(row, key -> new ArrayList<>()).add(nanos / 1e3 / count);
                Arrays.stream(DriverFunction.values())
                    .filter(function -> function.getFunctionName().equals(call))
                    .forEach(function -> modelled.put(row, subject.modelledMicros(function)));
              });
    }
  }

  private void print() {
    System.out.println(
        "median microseconds of a call, " + device.getProperties().name() + "; simulated H200");
    samples.forEach(
        (call, micros) -> {
          double[] sorted = micros.stream().mapToDouble(Double::doubleValue).toArray();
          Arrays.sort(sorted);
          Double model = modelled.get(call);
          System.out.printf(
              Locale.ROOT,
              "%-48s %10.2f %10s%n",
              call,
              sorted[sorted.length / 2],
              model == null ? "" : String.format(Locale.ROOT, "%.2f", model));
        });
  }
}
