package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.GpuException;
import org.vramkit.sim.SimStream;

/**
 * A random program whose working set is twice the device. It checks and rewrites buffers in random
 * order on random streams, and repeats an operation that failed.
 */
final class SpillProgram {
  private static final int BUFFERS = 16;
  private static final int BYTES = 4 << 20;
  private static final int STEPS = 64;

  private final SplittableRandom random;
  private final Scene scene;
  private final Path folder;
  private final byte[] contents = new byte[BUFFERS];
  private final List<Spillable> buffers = new ArrayList<>();
  private final List<SimStream> streams = new ArrayList<>();

  /**
   * Prepares a run on a device of 32 MiB, with room for five buffers on the host and for all on
   * disk.
   */
  SpillProgram(long seed, Scene scene, Path folder) {
    this.random = new SplittableRandom(seed);
    this.scene = scene;
    this.folder = folder;
  }

  SpillStatistics run() {
    for (int i = 0; i < 3; i++) {
      streams.add(scene.device.createStream());
    }
    try (SpillStore store =
        SpillStore.over(scene.allocator)
            .hostLimit(5L * BYTES)
            .disk(folder, (long) BUFFERS * BYTES)
            .build()) {
      for (int i = 0; i < BUFFERS; i++) {
        buffers.add(store.create(BYTES, random.nextInt(3)));
        contents[i] = (byte) (i + 1);
      }
      for (int step = 0; step < STEPS; step++) {
        // The first round writes all buffers.
        List<Integer> numbers =
            step < BUFFERS
                ? List.of(step)
                : random.ints(1 + random.nextInt(3), 0, BUFFERS).distinct().boxed().toList();
        SimStream stream = streams.get(random.nextInt(streams.size()));
        byte next = (byte) random.nextInt(128);
        boolean first = step < BUFFERS;
        insist(() -> visit(store, numbers, stream, next, first));
      }
      SpillStatistics end = store.getStatistics();
      buffers.forEach(buffer -> insist(buffer::close));
      scene.gpu.getFaults().clear();
      return end;
    } finally {
      streams.forEach(SimStream::close);
    }
  }

  /** Checks the contents of buffers, which return together, and changes them. */
  private void visit(
      SpillStore store, List<Integer> numbers, SimStream stream, byte next, boolean first) {
    List<SpillableLease> leases =
        store.materialize(numbers.stream().map(buffers::get).toList(), stream);
    Batch.run(
        () -> {
          for (int i = 0; i < leases.size(); i++) {
            check(numbers.get(i), leases.get(i), first);
            stream.fill(leases.get(i).getAddress(), next, BYTES);
            contents[numbers.get(i)] = next;
          }
        },
        () -> Batch.forEach(leases, SpillableLease::close));
  }

  /** Checks the contents at both ends. */
  private void check(int number, SpillableLease lease, boolean first) {
    for (long offset : first ? new long[0] : new long[] {0, BYTES / 2, BYTES - 8}) {
      ByteBuffer seen = ByteBuffer.allocate(8);
      lease.getStream().copyToHost(seen, lease.getAddress() + offset);
      assertEquals(
          (contents[number] & 0xFFL) * 0x0101010101010101L,
          seen.getLong(0),
          "buffer " + number + " at " + offset);
    }
  }

  private static void insist(Runnable step) {
    try {
      step.run();
    } catch (GpuException planned) {
      step.run();
    }
  }
}
