package org.vramkit.examples;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.workspace.WorkspacePool;
import org.vramkit.sim.DeviceBytes;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

/**
 * Multiplies matrices from the buffer pool with scratch memory from the workspace pool, as programs
 * do with cuBLASLt. The kernel is a lambda on the simulator, whose checker would report a product
 * that starts before its operands are copied, or scratch memory that two products share.
 */
public final class MatmulWithWorkspace {
  /** Rows and columns of all matrices. */
  static final int N = 16;

  private static final int BYTES = N * N * Float.BYTES;

  private MatmulWithWorkspace() {}

  /** Runs on the simulator. */
  public static void main(String[] arguments) {
    try (SimBackend backend = SimBackend.builder().build()) {
      System.out.println(Arrays.toString(Arrays.copyOf(run(backend), 4)) + " ...");
    }
  }

  /** Returns the product of two matrices with elements row + column and row - column. */
  static float[] run(SimBackend backend) {
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        BufferPool buffers = BufferPool.create(allocator);
        WorkspacePool workspaces = WorkspacePool.create(allocator);
        SimStream stream = backend.getDevice(0).createStream();
        TypedBuffer a = buffers.acquire(ElementType.FLOAT32, N * N, stream);
        TypedBuffer b = buffers.acquire(ElementType.FLOAT32, N * N, stream);
        TypedBuffer product = buffers.acquire(ElementType.FLOAT32, N * N, stream)) {
      a.copyFrom(operand(1));
      b.copyFrom(operand(-1));
      // The kernel stores b transposed in its scratch memory.
      try (WorkspaceLease scratch = workspaces.acquire(BYTES, stream)) {
        long transposed = scratch.getAddress();
        stream.launch(
            SimKernel.named("matmul")
                .reads(a.getAddress(), BYTES)
                .reads(b.getAddress(), BYTES)
                .writes(transposed, BYTES)
                .writes(product.getAddress(), BYTES)
                .body(
                    bytes ->
                        multiply(
                            bytes,
                            a.getAddress(),
                            b.getAddress(),
                            transposed,
                            product.getAddress()))
                .build());
      }
      float[] result = new float[N * N];
      product.copyTo(result);
      return result;
    }
  }

  static float[] operand(int sign) {
    float[] matrix = new float[N * N];
    for (int i = 0; i < matrix.length; i++) {
      matrix[i] = i / N + sign * (i % N);
    }
    return matrix;
  }

  private static void multiply(DeviceBytes bytes, long a, long b, long transposed, long product) {
    float[] left = read(bytes, a);
    float[] right = read(bytes, b);
    float[] turned = new float[N * N];
    float[] result = new float[N * N];
    for (int i = 0; i < turned.length; i++) {
      turned[i] = right[i % N * N + i / N];
    }
    for (int i = 0; i < result.length; i++) {
      for (int k = 0; k < N; k++) {
        result[i] += left[i / N * N + k] * turned[i % N * N + k];
      }
    }
    write(bytes, transposed, turned);
    write(bytes, product, result);
  }

  private static float[] read(DeviceBytes bytes, long address) {
    float[] values = new float[N * N];
    ByteBuffer.wrap(bytes.read(address, BYTES))
        .order(ByteOrder.nativeOrder())
        .asFloatBuffer()
        .get(values);
    return values;
  }

  private static void write(DeviceBytes bytes, long address, float[] values) {
    ByteBuffer buffer = ByteBuffer.allocate(BYTES).order(ByteOrder.nativeOrder());
    buffer.asFloatBuffer().put(values);
    bytes.write(address, buffer.array());
  }
}
