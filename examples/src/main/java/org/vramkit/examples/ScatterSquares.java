package org.vramkit.examples;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.List;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Backend;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.Tile;
import org.vramkit.partition.scatter.Scatter;
import org.vramkit.partition.scatter.ScatterReport;
import org.vramkit.partition.scatter.TileContext;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

/**
 * Computes squares on two simulated GPUs in proportion to their speed, and on the CPU if a GPU
 * fails.
 */
public final class ScatterSquares {
  private ScatterSquares() {}

  /** Runs on an H200 and an RTX 4090, both simulated. */
  public static void main(String[] arguments) {
    int[] squares = new int[10_000];
    System.out.println(run(squares));
  }

  static ScatterReport run(int[] squares) {
    try (SimBackend backend =
        SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.RTX_4090).build()) {
      return run(backend, squares);
    }
  }

  static ScatterReport run(Backend backend, int[] squares) {
    List<CachingAllocator> allocators =
        backend.getDevices().stream().map(CachingAllocator::create).toList();
    try (Scatter scatter =
        Scatter.builder(DevicePool.of(backend)).bytesPerUnit(Integer.BYTES).build()) {
      return scatter.run(
          squares.length,
          (from, to) -> onCpu(squares, (int) from, (int) to),
          tile -> onGpu(squares, tile, allocators.get(tile.getDevice().getOrdinal())));
    } finally {
      allocators.forEach(CachingAllocator::close);
    }
  }

  static void onCpu(int[] squares, int from, int to) {
    for (int i = from; i < to; i++) {
      squares[i] = i * i;
    }
  }

  private static void onGpu(int[] squares, TileContext context, CachingAllocator allocator) {
    Tile tile = context.getTile();
    int first = (int) tile.from();
    int count = (int) tile.getUnits();
    SimStream stream = (SimStream) context.getStream();
    try (Allocation numbers = allocator.allocate((long) count * Integer.BYTES, stream)) {
      stream.launch(
          SimKernel.named("square")
              .writes(numbers.getAddress(), numbers.getSize())
              .body(
                  bytes -> {
                    byte[] values = new byte[count * Integer.BYTES];
                    IntBuffer squared = ints(values);
                    for (int i = 0; i < count; i++) {
                      squared.put((first + i) * (first + i));
                    }
                    bytes.write(numbers.getAddress(), values);
                  })
              .build());
      byte[] back = new byte[count * Integer.BYTES];
      stream.copyToHost(ByteBuffer.wrap(back), numbers.getAddress());
      ints(back).get(squares, first, count);
    }
  }

  private static IntBuffer ints(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).asIntBuffer();
  }
}
