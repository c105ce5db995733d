package org.vramkit.examples.cuda;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.scatter.Scatter;
import org.vramkit.partition.scatter.ScatterReport;
import org.vramkit.partition.scatter.TileContext;
import org.vramkit.pool.caching.CachingAllocator;

/** Adds two vectors on all GPUs of the machine, one tile each, and checks the sums on the CPU. */
public final class ScatterVectorAdd {
  private static final int N = 10_000_000;

  private final float[] a = VectorAdd.operand(N, 1);
  private final float[] b = VectorAdd.operand(N, 3);
  private final float[] sums = new float[N];
  private final Set<Integer> devices = ConcurrentHashMap.newKeySet();
  private final List<CachingAllocator> allocators;

  private ScatterVectorAdd(List<CachingAllocator> allocators) {
    this.allocators = allocators;
  }

  /** Runs on the backend {@code javacpp}, with one GPU or more. */
  public static void main(String[] arguments) {
    int wrong;
    try (Backend backend = Backends.open("javacpp")) {
      List<CachingAllocator> allocators =
          backend.getDevices().stream().map(CachingAllocator::create).toList();
      ScatterVectorAdd work = new ScatterVectorAdd(allocators);
      try (Scatter scatter =
          Scatter.builder(DevicePool.of(backend)).bytesPerUnit(3 * Float.BYTES).build()) {
        ScatterReport report = scatter.run(N, work::add);
        System.out.println(report);
      } finally {
        allocators.forEach(CachingAllocator::close);
      }
      wrong = VectorAdd.countWrong(work.a, work.b, work.sums);
      System.out.printf(
          "scatter of a vector add: %,d sums on GPUs %s, %d wrong%n", N, work.devices, wrong);
    }
    System.exit(wrong == 0 ? 0 : 1);
  }

  /** Adds one tile. */
  private void add(TileContext tile) {
    int first = (int) tile.getTile().from();
    int count = (int) tile.getTile().getUnits();
    long bytes = (long) count * Float.BYTES;
    Stream stream = tile.getStream();
    CachingAllocator allocator = allocators.get(tile.getDevice().getOrdinal());
    devices.add(tile.getDevice().getOrdinal());
    try (Allocation deviceA = allocator.allocate(bytes, stream);
        Allocation deviceB = allocator.allocate(bytes, stream);
        Allocation deviceC = allocator.allocate(bytes, stream);
        VectorAdd kernel = new VectorAdd(tile.getDevice())) {
      stream.copyToDevice(deviceA.getAddress(), bytesOf(a, first, count));
      stream.copyToDevice(deviceB.getAddress(), bytesOf(b, first, count));
      kernel.submit(stream, deviceC, deviceA, deviceB, count);
      ByteBuffer back = ByteBuffer.allocateDirect((int) bytes).order(ByteOrder.nativeOrder());
      stream.copyToHost(back, deviceC.getAddress());
      back.asFloatBuffer().get(sums, first, count);
    }
  }

  private static ByteBuffer bytesOf(float[] numbers, int first, int count) {
    ByteBuffer bytes =
        ByteBuffer.allocateDirect(count * Float.BYTES).order(ByteOrder.nativeOrder());
    FloatBuffer floats = bytes.asFloatBuffer();
    floats.put(numbers, first, count);
    return bytes;
  }
}
