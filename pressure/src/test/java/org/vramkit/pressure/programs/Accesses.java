package org.vramkit.pressure.programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.pool.pinned.PooledPinnedBuffer;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

/** Writes, checks and copies pieces in random ways, each ordered after what came before. */
final class Accesses {
  private static final int LONGEST_NANOS = 10_000;

  private record CopyGraph(Graph graph, Piece from, Piece to) {}

  private final SplittableRandom random;
  private final Waits waits;
  private final List<CopyGraph> graphs = new ArrayList<>();

  Accesses(SplittableRandom random, Waits waits) {
    this.random = random;
    this.waits = waits;
  }

  static byte[] repeat(byte value, long size) {
    byte[] bytes = new byte[(int) size];
    Arrays.fill(bytes, value);
    return bytes;
  }

  void write(Piece to, SimStream stream) {
    byte value = (byte) random.nextInt(256);
    if (to.view != null && random.nextBoolean()) {
      writeByHost(to, to.view, value);
    } else {
      writeByStream(to, stream, value);
    }
    to.value = value;
    to.isWritten = true;
  }

  private void writeByHost(Piece to, PinnedBuffer view, byte value) {
    to.await(waits);
    view.getBytes(0, (int) to.size).put(repeat(value, to.size));
  }

  private void writeByStream(Piece to, SimStream stream, byte value) {
    to.order(stream, true, waits);
    switch (random.nextInt(4)) {
      case 0 -> stream.fill(to.address, value, to.size);
      case 1 -> {
        try (PooledPinnedBuffer host = to.gpu.pinned.acquire(to.size)) {
          host.getBytes().put(repeat(value, to.size));
          host.copyToDevice(to.address, stream);
        }
      }
      case 2 -> stream.copyToDevice(to.address, ByteBuffer.wrap(repeat(value, to.size)));
      default ->
          stream.launch(
              SimKernel.named("write")
                  .writes(to.address, to.size)
                  .taking(random.nextInt(LONGEST_NANOS))
                  .body(device -> device.fill(to.address, value, to.size))
                  .build());
    }
    to.used(stream, true);
  }

  /** Reads a part on the host. */
  void check(Piece from, SimStream stream) {
    from.order(stream, false, waits);
    int length = 1 + random.nextInt((int) from.size);
    long offset = random.nextLong(from.size - length + 1);
    byte[] bytes = new byte[length];
    if (random.nextBoolean()) {
      try (PooledPinnedBuffer host = from.gpu.pinned.acquire(length)) {
        host.copyToHost(from.address + offset, stream);
        waits.await(stream);
        host.getBytes().get(bytes);
      }
    } else {
      stream.copyToHost(ByteBuffer.wrap(bytes), from.address + offset);
    }
    from.used(stream, false);
    assertArrayEquals(
        repeat(from.value, length), bytes, () -> from + ", " + length + " from " + offset);
  }

  void copy(Piece from, Piece to, SimStream stream) {
    from.order(stream, false, waits);
    to.order(stream, true, waits);
    long size = Math.min(from.size, to.size);
    if (to.size > size) {
      stream.fill(to.address + size, from.value, to.size - size);
    }
    int way = from.gpu == to.gpu ? random.nextInt(4) : 0;
    if (way == 1 && size <= Gpu.MOST_COPIED) {
      to.gpu.copyByPtx(from, to, (int) size, stream);
    } else if (way == 2) {
      stream.launch(copyKernel(from, to, size));
    } else if (way == 3 && !stream.equals(stream.getDevice().getDefaultStream())) {
      copyByGraph(from, to, size, stream);
    } else {
      stream.copy(to.address, from.address, size);
    }
    from.used(stream, false);
    to.used(stream, true);
    to.value = from.value;
  }

  private SimKernel copyKernel(Piece from, Piece to, long size) {
    return SimKernel.named("copy")
        .reads(from.address, size)
        .writes(to.address, size)
        .taking(random.nextInt(LONGEST_NANOS))
        .body(device -> device.copy(to.address, from.address, size))
        .build();
  }

  private void copyByGraph(Piece from, Piece to, long size, SimStream stream) {
    Graphs capturing = stream.getDevice().getGraphs();
    capturing.beginCapture(stream);
    stream.launch(copyKernel(from, to, size));
    Graph graph = capturing.endCapture(stream);
    graph.launch(stream);
    graphs.add(new CopyGraph(graph, from, to));
    from.graphs++;
    to.graphs++;
  }

  boolean hasGraphs() {
    return !graphs.isEmpty();
  }

  void closeGraph() {
    CopyGraph any = graphs.remove(random.nextInt(graphs.size()));
    any.graph.close();
    any.from.graphs--;
    any.to.graphs--;
  }
}
