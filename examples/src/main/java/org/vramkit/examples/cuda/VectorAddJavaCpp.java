package org.vramkit.examples.cuda;

import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.caching.CachingAllocator;

/** Adds two vectors in memory of the caching allocator with a kernel launched through JavaCPP. */
public final class VectorAddJavaCpp {
  private static final int N = 1_000_000;

  private VectorAddJavaCpp() {}

  /** Runs on the backend {@code javacpp}. */
  @SuppressWarnings("try") // the binding is held, not called
  public static void main(String[] arguments) {
    float[] a = VectorAddKernel.operand(N, 1);
    float[] b = VectorAddKernel.operand(N, 3);
    float[] sums = new float[N];
    try (Backend backend = Backends.open("javacpp");
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        BufferPool buffers = BufferPool.create(allocator);
        Stream stream = allocator.getDevice().createStream();
        TypedBuffer deviceA = buffers.acquire(ElementType.FLOAT32, N, stream);
        TypedBuffer deviceB = buffers.acquire(ElementType.FLOAT32, N, stream);
        TypedBuffer deviceC = buffers.acquire(ElementType.FLOAT32, N, stream);
        DeviceBinding current = allocator.getDevice().bind();
        JavaCppKernels kernels = new JavaCppKernels()) {
      deviceA.copyFrom(a);
      deviceB.copyFrom(b);
      kernels.add(deviceC.getAddress(), deviceA.getAddress(), deviceB.getAddress(), N, stream);
      deviceC.copyTo(sums);
    }
    int wrong = VectorAddKernel.countWrong(a, b, sums);
    System.out.printf("vector add through JavaCPP: %,d sums, %d wrong%n", N, wrong);
    System.exit(wrong == 0 ? 0 : 1);
  }
}
