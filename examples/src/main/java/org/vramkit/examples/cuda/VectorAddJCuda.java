package org.vramkit.examples.cuda;

import static jcuda.driver.JCudaDriver.cuLaunchKernel;
import static jcuda.driver.JCudaDriver.cuModuleGetFunction;
import static jcuda.driver.JCudaDriver.cuModuleLoadData;
import static jcuda.driver.JCudaDriver.cuModuleUnload;

import jcuda.Pointer;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.JCudaDriver;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.jcuda.JCudaInterop;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.caching.CachingAllocator;

/** Adds two vectors in memory of the caching allocator with a kernel launched through JCuda. */
public final class VectorAddJCuda {
  private static final int N = 1_000_000;

  private VectorAddJCuda() {}

  /** Runs on the backend {@code jcuda}. */
  public static void main(String[] arguments) {
    JCudaDriver.setExceptionsEnabled(true);
    float[] a = VectorAddKernel.operand(N, 1);
    float[] b = VectorAddKernel.operand(N, 3);
    float[] sums = new float[N];
    try (Backend backend = Backends.open("jcuda");
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        BufferPool buffers = BufferPool.create(allocator);
        Stream stream = allocator.getDevice().createStream();
        TypedBuffer deviceA = buffers.acquire(ElementType.FLOAT32, N, stream);
        TypedBuffer deviceB = buffers.acquire(ElementType.FLOAT32, N, stream);
        TypedBuffer deviceC = buffers.acquire(ElementType.FLOAT32, N, stream)) {
      deviceA.copyFrom(a);
      deviceB.copyFrom(b);
      add(deviceC, deviceA, deviceB, stream);
      deviceC.copyTo(sums);
    }
    int wrong = VectorAddKernel.countWrong(a, b, sums);
    System.out.printf("vector add through JCuda: %,d sums, %d wrong%n", N, wrong);
    System.exit(wrong == 0 ? 0 : 1);
  }

  @SuppressWarnings("try") // the binding is held, not called
  private static void add(TypedBuffer c, TypedBuffer a, TypedBuffer b, Stream stream) {
    try (DeviceBinding current = stream.getDevice().bind()) {
      CUmodule module = new CUmodule();
      CUfunction kernel = new CUfunction();
      cuModuleLoadData(module, VectorAddKernel.PTX);
      cuModuleGetFunction(kernel, module, VectorAddKernel.NAME);
      Pointer parameters =
          Pointer.to(
              Pointer.to(JCudaInterop.pointer(c.getAddress())),
              Pointer.to(JCudaInterop.pointer(a.getAddress())),
              Pointer.to(JCudaInterop.pointer(b.getAddress())),
              Pointer.to(new int[] {N}));
      cuLaunchKernel(
          kernel,
          VectorAddKernel.blocks(N),
          1,
          1,
          VectorAddKernel.THREADS_PER_BLOCK,
          1,
          1,
          0,
          JCudaInterop.stream(stream),
          parameters,
          null);
      stream.synchronize();
      cuModuleUnload(module);
    }
  }
}
