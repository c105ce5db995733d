package org.vramkit.gpu;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.units.ByteSize;
import org.vramkit.gpu.ScatterKernel.Limit;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.device.ScoreFormula;
import org.vramkit.partition.scatter.Scatter;
import org.vramkit.partition.scatter.ScatterReport;
import org.vramkit.partition.scatter.Schedule;
import org.vramkit.partition.scatter.TileContext;

/**
 * Measures the speed-up of a guided scatter compared with one GPU, and its efficiency while other
 * work keeps one GPU half busy. Prints a line of JSON for each figure and fails if one misses its
 * bound: a speed-up of 0.95 per GPU, and an efficiency of 0.93 beside other work.
 */
final class ScatterSpeed implements AutoCloseable {
  private static final double LEAST_OF_EACH = 0.95;
  private static final double LEAST_BESIDE_OTHERS = 0.93;

  /** Multiply-adds per float, enough to make the kernel compute-bound. */
  private static final int ROUNDS = 4096;

  /** Number of passes, of which the best counts: the first has cold devices and no rates. */
  private static final int PASSES = 4;

  private final Backend backend;
  private final ScatterKernel kernel;
  private final long unit;
  private final long ring;
  private final ConcurrentHashMap<Integer, Long> memory = new ConcurrentHashMap<>();
  private boolean missed;

  /**
   * Prepares all devices of a backend.
   *
   * @param unit size of a unit in bytes, a multiple of 4
   * @param ring number of units in each device's buffer, which is processed repeatedly
   * @param rounds multiply-adds per float of the launches that arithmetic limits
   */
  ScatterSpeed(Backend backend, long unit, long ring, int rounds) {
    this.backend = backend;
    this.kernel = new ScatterKernel(rounds);
    this.unit = unit;
    this.ring = ring;
    for (Device device : backend.getDevices()) {
      long address = device.getMemory().allocate(ring * unit);
      memory.put(device.getOrdinal(), address);
      device.getDefaultStream().fill(address, (byte) 0, ring * unit);
      device.synchronize();
    }
  }

  /** Runs all measurements; the argument names the backend. */
  public static void main(String[] arguments) {
    boolean missed;
    try (Backend backend = Backends.open(arguments[0]);
        ScatterSpeed speed = new ScatterSpeed(backend, ByteSize.MIB, 4096, ROUNDS)) {
      // Takes seconds on one H200, with about 4 TB/s of memory and 30 TFLOP/s.
      missed = speed.run(4_000_000, 30_000);
    }
    System.exit(missed ? 1 : 0);
  }

  /** Returns whether a figure missed its bound. */
  boolean run(long memoryUnits, long computeUnits) {
    for (Limit limit : Limit.values()) {
      long units = limit == Limit.MEMORY ? memoryUnits : computeUnits;
      int devices = backend.getDevices().size();
      double one = best(List.of(backend.getDevice(0)), limit, units);
      double all = best(backend.getDevices(), limit, units);
      print(limit, "speedup", one / all, LEAST_OF_EACH * devices);
      busy(limit, units);
    }
    return missed;
  }

  /** Returns the time of the best pass in seconds. */
  private double best(List<Device> devices, Limit limit, long units) {
    double best = Double.MAX_VALUE;
    try (Scatter scatter = Scatter.over(DevicePool.of(devices, ScoreFormula.DEFAULT))) {
      for (int pass = 0; pass < PASSES; pass++) {
        ScatterReport report =
            scatter.run(units, Schedule.guided(limit.name()), tile -> launch(limit, tile));
        best = Math.min(best, report.nanos() / 1e9);
      }
    }
    return best;
  }

  private void launch(Limit limit, TileContext tile) {
    long base = memory.get(tile.getDevice().getOrdinal());
    for (long left = tile.getTile().getUnits(), at = tile.getTile().from(); left > 0; ) {
      long first = at % ring;
      long count = Math.min(left, ring - first);
      kernel.launch(
          limit, tile.getStream(), base + first * unit, (int) (count * unit / Float.BYTES));
      at += count;
      left -= count;
    }
  }

  /** Measures efficiency while one GPU spends half of its time on other work. */
  private void busy(Limit limit, long units) {
    Device other = backend.getDevice(0);
    AtomicBoolean ended = new AtomicBoolean();
    Thread thread = new Thread(() -> occupy(other, ended), "other work");
    thread.start();
    try {
      double rates = 0;
      for (Device device : backend.getDevices()) {
        rates += units / best(List.of(device), limit, units);
      }
      double all = best(backend.getDevices(), limit, units);
      print(limit, "efficiency beside other work", units / rates / all, LEAST_BESIDE_OTHERS);
    } finally {
      ended.set(true);
      join(thread);
    }
  }

  @SuppressWarnings("try") // the binding is held, not called
  private void occupy(Device device, AtomicBoolean ended) {
    long scratch = device.getMemory().allocate(64 * unit);
    try (DeviceBinding bound = device.bind();
        Stream stream = device.createStream()) {
      stream.fill(scratch, (byte) 0, 64 * unit);
      while (!ended.get()) {
        long begun = System.nanoTime();
        kernel.launch(Limit.COMPUTE, stream, scratch, (int) (64 * unit / Float.BYTES));
        stream.synchronize();
        pause(System.nanoTime() - begun);
      }
    }
    device.getMemory().free(scratch);
  }

  private static void pause(long nanos) {
    LockSupport.parkNanos(nanos);
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while other work ended", e);
    }
  }

  private void print(Limit limit, String what, double value, double bound) {
    missed |= value < bound;
    System.out.printf(
        Locale.ROOT,
        "{\"limit\": \"%s\", \"devices\": %d, \"what\": \"%s\", \"value\": %.4f, \"bound\": %.4f}%n",
        limit.name().toLowerCase(Locale.ROOT),
        backend.getDevices().size(),
        what,
        value,
        bound);
  }

  @Override
  public void close() {
    kernel.close();
    memory.forEach((ordinal, address) -> backend.getDevice(ordinal).getMemory().free(address));
  }
}
