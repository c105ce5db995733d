package org.vramkit.examples.cuda;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.MemoryArgument;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.caching.CachingAllocator;

/**
 * Adds two vectors with a kernel in PTX, on a GPU through any binding or on the simulator. {@code
 * vector_add.cu} has the source of the kernel.
 */
public final class VectorAdd implements AutoCloseable {
  private static final int N = 100_000;
  private static final int THREADS_PER_BLOCK = 256;

  private final KernelModule module;

  /** Loads the kernel on a device. */
  public VectorAdd(Device device) {
    module = device.loadModule(ptx());
  }

  private static String ptx() {
    try (InputStream file = VectorAdd.class.getResourceAsStream("vector_add.ptx")) {
      return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Submits {@code sums[i] = a[i] + b[i]} for n floats. */
  public void submit(
      Stream stream, MemoryArgument sums, MemoryArgument a, MemoryArgument b, int n) {
    stream.launch(
        module.getKernel("vector_add"), LaunchConfig.covering(n, THREADS_PER_BLOCK), sums, a, b, n);
  }

  @Override
  public void close() {
    module.close();
  }

  /** Runs on the backend of the class path. */
  public static void main(String[] arguments) {
    float[] a = operand(N, 1);
    float[] b = operand(N, 3);
    float[] sums = new float[N];
    try (Backend backend = Backends.open();
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        BufferPool buffers = BufferPool.create(allocator);
        Stream stream = allocator.getDevice().createStream();
        TypedBuffer deviceA = buffers.acquire(ElementType.FLOAT32, N, stream);
        TypedBuffer deviceB = buffers.acquire(ElementType.FLOAT32, N, stream);
        TypedBuffer deviceSums = buffers.acquire(ElementType.FLOAT32, N, stream);
        VectorAdd kernel = new VectorAdd(allocator.getDevice())) {
      deviceA.copyFrom(a);
      deviceB.copyFrom(b);
      kernel.submit(stream, deviceSums, deviceA, deviceB, N);
      deviceSums.copyTo(sums);
      int wrong = countWrong(a, b, sums);
      System.out.printf("vector add on %s: %,d sums, %d wrong%n", backend.getName(), N, wrong);
      if (wrong > 0) {
        throw new IllegalStateException(wrong + " of " + N + " sums are wrong");
      }
    }
  }

  /**
   * Returns n whole numbers, multiples of factor, whose sums are exact, so that results compare bit
   * by bit.
   */
  static float[] operand(int n, int factor) {
    float[] numbers = new float[n];
    for (int i = 0; i < n; i++) {
      numbers[i] = factor * (i % 1024);
    }
    return numbers;
  }

  /** Returns the number of wrong sums. */
  static int countWrong(float[] a, float[] b, float[] sums) {
    int wrong = 0;
    for (int i = 0; i < sums.length; i++) {
      if (sums[i] != a[i] + b[i]) {
        wrong++;
      }
    }
    return wrong;
  }
}
