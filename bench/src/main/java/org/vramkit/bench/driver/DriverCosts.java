package org.vramkit.bench.driver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.units.ByteSize;
import org.vramkit.cuda.CudaBackend;
import org.vramkit.cuda.DriverCallMeter;

/**
 * Times single driver calls on a real device and prints the median of each in microseconds: {@code
 * DriverCosts [BACKEND]}, default javacpp. With virtual memory also what a range costs by the
 * number of mappings that it is made of.
 */
public final class DriverCosts {
  private static final int ROUNDS = 41;
  private static final long PAGE = 2 * ByteSize.MIB;

  private final CudaBackend backend;
  private final Device device;
  private final Map<String, List<Double>> samples = new TreeMap<>();

  private DriverCosts(CudaBackend backend) {
    this.backend = backend;
    this.device = backend.getDevice(0);
  }

  /** Runs it. */
  public static void main(String[] arguments) {
    String name = arguments.length > 0 ? arguments[0] : "javacpp";
    try (Backend opened = Backends.open(name)) {
      if (!(opened instanceof CudaBackend cuda)) {
        System.err.println("bench: backend '" + name + "' has no driver to time");
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
            " of " + ByteSize.format(bytes),
            () -> device.getMemory().free(device.getMemory().allocate(bytes)));
      }
      timed("", this::streamsAndEvents);
      timed("", device::getMemoryInfo);
      if (device.supports(org.vramkit.api.device.Capability.VIRTUAL_MEMORY)) {
        for (int pages : new int[] {1, 10, 128}) {
          timed(" of 1 x " + ByteSize.format(pages * PAGE), () -> pages(1, pages * PAGE));
          timed(" of " + pages + " x 2 MiB", () -> pages(pages, PAGE));
        }
      }
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

  /** Maps handles side by side, and takes all back. */
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

  /** Adds the mean time of each function that the action calls. */
  private void timed(String suffix, Runnable action) {
    try (DriverCallMeter meter = backend.measure()) {
      action.run();
      Map<String, Long> counts = meter.getCounts();
      meter
          .getNanos()
          .forEach(
              (call, nanos) -> {
                long count = counts.getOrDefault(call, 1L);
                samples
                    .computeIfAbsent(call + suffix, key -> new ArrayList<>())
                    .add(nanos / 1e3 / count);
              });
    }
  }

  private void print() {
    System.out.println("median microseconds of a call, " + device.getProperties().name());
    samples.forEach(
        (call, micros) -> {
          double[] sorted = micros.stream().mapToDouble(Double::doubleValue).toArray();
          Arrays.sort(sorted);
          System.out.printf("%-40s %10.2f%n", call, sorted[sorted.length / 2]);
        });
  }
}
