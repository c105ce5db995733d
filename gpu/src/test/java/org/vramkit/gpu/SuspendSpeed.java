package org.vramkit.gpu;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.PinnedMemory;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.Backup;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.PrivatePool;
import org.vramkit.pressure.SpillStore;
import org.vramkit.pressure.Spillable;
import org.vramkit.pressure.SpillableLease;

/**
 * Measures how long a suspension of a pool and its resume take, and the rate of spilling and
 * restoring, compared with page-locked copies of the same sizes in the same run. Prints a line of
 * JSON for each figure, a median of several rounds, and fails if one misses its bound.
 */
final class SuspendSpeed implements AutoCloseable {
  private static final int ROUNDS = 5;
  private static final double OUT_MILLIS = 30;
  private static final double BACK_MILLIS = 300;
  private static final double LEAST_OF_COPY = 0.9;
  private static final double MOST_KEPT = 0.01;
  private static final double LEAST_FIRST_RATE = 10;
  private static final double LEAST_OF_COPY_SPILLED = 0.95;
  private static final double LEAST_OF_COPY_SMALL = 0.9;

  private final Device device;
  private final Stream stream;
  private final long bytes;
  private final long blockBytes;
  private final long spilledBytes;
  private boolean missed;

  /**
   * Prepares measurements on a device.
   *
   * @param bytes size of the pool, a multiple of {@code blockBytes}
   * @param spilledBytes total size of the spillables of each size, a multiple of 16 MiB
   */
  SuspendSpeed(Device device, long bytes, long blockBytes, long spilledBytes) {
    this.device = device;
    this.stream = device.createStream("speed");
    this.bytes = bytes;
    this.blockBytes = blockBytes;
    this.spilledBytes = spilledBytes;
  }

  /** Runs all measurements; the argument names the backend. */
  public static void main(String[] arguments) {
    boolean missed;
    try (Backend backend = Backends.open(arguments[0]);
        SuspendSpeed speed =
            new SuspendSpeed(
                backend.getDevice(0), 20 * ByteSize.GIB, ByteSize.GIB, 2 * ByteSize.GIB)) {
      missed = speed.run();
    }
    System.exit(missed ? 1 : 0);
  }

  /** Returns whether a figure missed its bound. */
  boolean run() {
    double[] copies = copies(bytes, blockBytes);
    try (CachingAllocator allocator = CachingAllocator.create(device);
        PrivatePool pool = allocator.createPool()) {
      List<Allocation> blocks = new ArrayList<>();
      for (long left = bytes; left > 0; left -= blockBytes) {
        blocks.add(pool.getAllocator().allocate(blockBytes, stream));
      }
      double[] bare = cycles(pool, Backup.NONE);
      print("suspend without backup, ms", bare[0] * 1e3, OUT_MILLIS, false);
      print("resume without backup, ms", bare[1] * 1e3, BACK_MILLIS, false);
      // The first suspension page-locks host memory, which the pool keeps.
      double[] first = cycle(pool, Backup.HOST);
      print("first suspend with backup, GB/s", rate(bytes, first[0]), LEAST_FIRST_RATE, true);
      double[] backed = cycles(pool, Backup.HOST);
      print("suspend with backup, GB/s", rate(bytes, backed[0]));
      print("page-locked copy to the host, GB/s", rate(bytes, copies[0]));
      print("suspend with backup, of the copy", copies[0] / backed[0], LEAST_OF_COPY, true);
      print("resume with backup, GB/s", rate(bytes, backed[1]));
      print("page-locked copy to the device, GB/s", rate(bytes, copies[1]));
      print("resume with backup, of the copy", copies[1] / backed[1], LEAST_OF_COPY, true);
      blocks.forEach(Allocation::close);
    }
    PinnedMemory host = device.getPinnedMemory();
    print("page-locking as a whole, GB/s", locking(host::allocate));
    print("page-locking in pieces, GB/s", locking(host::allocateForCopies));
    spill(64 * ByteSize.KIB, LEAST_OF_COPY_SMALL);
    spill(ByteSize.MIB, LEAST_OF_COPY_SPILLED);
    spill(16 * ByteSize.MIB, LEAST_OF_COPY_SPILLED);
    return missed;
  }

  // ---- suspensions ----

  private double[] cycles(PrivatePool pool, Backup backup) {
    List<double[]> rounds = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      rounds.add(cycle(pool, backup));
    }
    return medians(rounds);
  }

  /** Suspends and resumes; returns the seconds of both. */
  private double[] cycle(PrivatePool pool, Backup backup) {
    device.synchronize();
    long freeBefore = device.getMemoryInfo().freeBytes();
    double out = seconds(() -> pool.suspend(backup, stream));
    long freed = device.getMemoryInfo().freeBytes() - freeBefore;
    print("memory kept while suspended, share", 1 - (double) freed / bytes, MOST_KEPT, false);
    return new double[] {out, seconds(() -> pool.resume(stream))};
  }

  private double locking(LongFunction<PinnedBuffer> allocate) {
    PinnedBuffer[] made = new PinnedBuffer[1];
    // An address is returned once all of the memory is locked.
    double taken =
        seconds(
            () -> {
              made[0] = allocate.apply(spilledBytes);
              made[0].getAddress();
            });
    made[0].close();
    return rate(spilledBytes, taken);
  }

  // ---- spilling ----

  private void spill(long size, double bound) {
    double[] copies = copies(spilledBytes, size);
    List<double[]> rounds = new ArrayList<>();
    try (CachingAllocator allocator = CachingAllocator.create(device);
        SpillStore store = SpillStore.over(allocator).hostLimit(spilledBytes).build()) {
      List<Spillable> all = new ArrayList<>();
      for (long left = spilledBytes; left > 0; left -= size) {
        all.add(store.create(size, 0));
      }
      all.forEach(this::write);
      stream.synchronize();
      // The first spill page-locks host memory, which the store keeps.
      for (int i = 0; i <= ROUNDS; i++) {
        double out = seconds(() -> store.spill(spilledBytes));
        double back = seconds(() -> restore(store, all));
        store.spill(spilledBytes);
        double[] round = {out, back, seconds(() -> restoreEach(all))};
        if (i > 0) {
          rounds.add(round);
        }
      }
      all.forEach(Spillable::close);
    }
    double[] spilled = medians(rounds);
    String blocks = " blocks of " + ByteSize.format(size);
    print("spill" + blocks + ", GB/s", rate(spilledBytes, spilled[0]));
    print("page-locked copies to the host of" + blocks + ", GB/s", rate(spilledBytes, copies[0]));
    print("spill" + blocks + ", of the copies", copies[0] / spilled[0], bound, true);
    print("restore" + blocks + ", GB/s", rate(spilledBytes, spilled[1]));
    print("page-locked copies to the device of" + blocks + ", GB/s", rate(spilledBytes, copies[1]));
    print("restore" + blocks + ", of the copies", copies[1] / spilled[1], bound, true);
    print("restore" + blocks + " one by one, of the copies", copies[1] / spilled[2]);
  }

  /** Writes the bytes, so that the copies move initialized memory. */
  private void write(Spillable spillable) {
    try (SpillableLease lease = spillable.materialize(stream)) {
      stream.fill(lease.getAddress(), (byte) 1, lease.getSize());
    }
  }

  private void restore(SpillStore store, List<Spillable> all) {
    store.materialize(all, stream).forEach(SpillableLease::close);
    stream.synchronize();
  }

  private void restoreEach(List<Spillable> all) {
    for (Spillable each : all) {
      each.materialize(stream).close();
    }
    stream.synchronize();
  }

  // ---- page-locked copies ----

  /** Copies blocks to page-locked memory and back; returns the seconds of both. */
  private double[] copies(long total, long size) {
    long memory = device.getMemory().allocate(total);
    try (PinnedBuffer host = device.getPinnedMemory().allocate(total)) {
      stream.fill(memory, (byte) 1, total);
      stream.synchronize();
      List<double[]> rounds = new ArrayList<>();
      for (int i = 0; i <= ROUNDS; i++) {
        double out = seconds(() -> copyOut(memory, host, size));
        double back = seconds(() -> copyBack(memory, host, size));
        if (i > 0) {
          rounds.add(new double[] {out, back});
        }
      }
      return medians(rounds);
    } finally {
      device.getMemory().free(memory);
    }
  }

  private void copyOut(long memory, PinnedBuffer host, long size) {
    for (long at = 0; at < host.getSize(); at += size) {
      stream.copyToHost(host, at, memory + at, size);
    }
    stream.synchronize();
  }

  private void copyBack(long memory, PinnedBuffer host, long size) {
    for (long at = 0; at < host.getSize(); at += size) {
      stream.copyToDevice(memory + at, host, at, size);
    }
    stream.synchronize();
  }

  // ---- figures ----

  private static double seconds(Runnable action) {
    long begun = System.nanoTime();
    action.run();
    return Math.max(1, System.nanoTime() - begun) / 1e9;
  }

  /** Returns the median of each column. */
  private static double[] medians(List<double[]> rounds) {
    double[] medians = new double[rounds.get(0).length];
    for (int i = 0; i < medians.length; i++) {
      int column = i;
      double[] sorted = rounds.stream().mapToDouble(each -> each[column]).sorted().toArray();
      medians[i] = sorted[sorted.length / 2];
    }
    return medians;
  }

  private static double rate(long moved, double seconds) {
    return moved / seconds / 1e9;
  }

  private void print(String what, double value, double bound, boolean atLeast) {
    missed |= atLeast ? value < bound : value > bound;
    System.out.printf(
        Locale.ROOT, "{\"what\": \"%s\", \"value\": %.4f, \"bound\": %.4f}%n", what, value, bound);
  }

  private static void print(String what, double value) {
    System.out.printf(Locale.ROOT, "{\"what\": \"%s\", \"value\": %.4f}%n", what, value);
  }

  @Override
  public void close() {
    stream.close();
  }
}
