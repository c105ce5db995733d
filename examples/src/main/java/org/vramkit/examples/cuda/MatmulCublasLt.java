package org.vramkit.examples.cuda;

import static org.bytedeco.cuda.global.cublas.CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES;
import static org.bytedeco.cuda.global.cublas.CUBLAS_COMPUTE_32F;
import static org.bytedeco.cuda.global.cublas.cublasLtCreate;
import static org.bytedeco.cuda.global.cublas.cublasLtDestroy;
import static org.bytedeco.cuda.global.cublas.cublasLtMatmul;
import static org.bytedeco.cuda.global.cublas.cublasLtMatmulAlgoGetHeuristic;
import static org.bytedeco.cuda.global.cublas.cublasLtMatmulDescCreate;
import static org.bytedeco.cuda.global.cublas.cublasLtMatmulDescDestroy;
import static org.bytedeco.cuda.global.cublas.cublasLtMatmulPreferenceDestroy;
import static org.bytedeco.cuda.global.cublas.cublasLtMatmulPreferenceSetAttribute;
import static org.bytedeco.cuda.global.cublas.cublasLtMatrixLayoutCreate;
import static org.bytedeco.cuda.global.cublas.cublasLtMatrixLayoutDestroy;
import static org.bytedeco.cuda.global.cudart.CUDA_R_32F;
import static org.vramkit.examples.cuda.CublasLt.check;
import static org.vramkit.examples.cuda.CublasLt.created;

import java.util.List;
import java.util.Random;
import org.bytedeco.cuda.cublas.cublasLtContext;
import org.bytedeco.cuda.cublas.cublasLtMatmulDescOpaque_t;
import org.bytedeco.cuda.cublas.cublasLtMatmulHeuristicResult_t;
import org.bytedeco.cuda.cublas.cublasLtMatmulPreferenceOpaque_t;
import org.bytedeco.cuda.cublas.cublasLtMatrixLayoutOpaque_t;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.units.ByteSize;
import org.vramkit.javacpp.JavaCppInterop;
import org.vramkit.pool.buffer.BufferPool;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.workspace.WorkspacePool;

/**
 * Multiplies matrices with cuBLASLt: operands come from the buffer pool, the workspace from the
 * workspace pool. Checks the result on the CPU. Needs libcublasLt of the CUDA toolkit.
 */
public final class MatmulCublasLt {
  /** Rows and columns of the product. */
  private static final int N = 256;

  /** Length of the inner dimension, so large that the library splits it and needs a workspace. */
  private static final int K = 16_384;

  private static final long WORKSPACE = 32 * ByteSize.MIB;

  /** A generous bound for single-precision sums of K products. */
  private static final double TOLERANCE = 1e-4;

  private MatmulCublasLt() {}

  /** Runs on the backend {@code javacpp}. */
  @SuppressWarnings("try") // the binding is held, not called
  public static void main(String[] arguments) {
    float[] a = random(1);
    float[] b = random(2);
    float[] c = new float[N * N];
    try (Backend backend = Backends.open("javacpp");
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        BufferPool buffers = BufferPool.create(allocator);
        WorkspacePool workspaces = WorkspacePool.create(allocator);
        Stream stream = allocator.getDevice().createStream();
        TypedBuffer deviceA = buffers.acquire(ElementType.FLOAT32, N * K, stream);
        TypedBuffer deviceB = buffers.acquire(ElementType.FLOAT32, K * N, stream);
        TypedBuffer deviceC = buffers.acquire(ElementType.FLOAT32, N * N, stream);
        DeviceBinding current = allocator.getDevice().bind()) {
      deviceA.copyFrom(a);
      deviceB.copyFrom(b);
      try (WorkspaceLease workspace = workspaces.acquire(WORKSPACE, stream)) {
        multiply(deviceA, deviceB, deviceC, workspace, stream);
      }
      deviceC.copyTo(c);
    }
    double error = relativeError(a, b, c);
    System.out.printf("cuBLASLt %d x %d x %d: relative error %.2e%n", N, K, N, error);
    System.exit(error < TOLERANCE ? 0 : 1);
  }

  /** Multiplies column-major matrices, the order of cuBLAS. */
  private static void multiply(
      TypedBuffer a, TypedBuffer b, TypedBuffer c, WorkspaceLease workspace, Stream stream) {
    cublasLtContext context = new cublasLtContext();
    check(cublasLtCreate(context), "cublasLtCreate");
    cublasLtMatmulDescOpaque_t operation =
        new cublasLtMatmulDescOpaque_t(
            created(to -> cublasLtMatmulDescCreate(to, CUBLAS_COMPUTE_32F, CUDA_R_32F)));
    cublasLtMatrixLayoutOpaque_t left = layout(N, K);
    cublasLtMatrixLayoutOpaque_t right = layout(K, N);
    cublasLtMatrixLayoutOpaque_t product = layout(N, N);
    cublasLtMatmulPreferenceOpaque_t preference =
        new cublasLtMatmulPreferenceOpaque_t(created(CublasLt::createPreference));
    try (SizeTPointer limit = new SizeTPointer(1).put(WORKSPACE);
        FloatPointer one = new FloatPointer(1).put(1);
        FloatPointer zero = new FloatPointer(1).put(0);
        cublasLtMatmulHeuristicResult_t found = new cublasLtMatmulHeuristicResult_t()) {
      check(
          cublasLtMatmulPreferenceSetAttribute(
              preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, limit, limit.sizeof()),
          "cublasLtMatmulPreferenceSetAttribute");
      int[] count = new int[1];
      check(
          cublasLtMatmulAlgoGetHeuristic(
              context, operation, left, right, product, product, preference, 1, found, count),
          "cublasLtMatmulAlgoGetHeuristic");
      Pointer target = pointer(c);
      check(
          cublasLtMatmul(
              context,
              operation,
              one,
              pointer(a),
              left,
              pointer(b),
              right,
              zero,
              target,
              product,
              target,
              product,
              found.algo(),
              JavaCppInterop.pointer(workspace.getAddress(), workspace.getSize()),
              workspace.getSize(),
              JavaCppInterop.stream(stream)),
          "cublasLtMatmul");
      System.out.printf("the algorithm uses %d bytes of workspace%n", found.workspaceSize());
    } finally {
      check(cublasLtMatmulPreferenceDestroy(preference), "cublasLtMatmulPreferenceDestroy");
      for (cublasLtMatrixLayoutOpaque_t layout : List.of(left, right, product)) {
        check(cublasLtMatrixLayoutDestroy(layout), "cublasLtMatrixLayoutDestroy");
      }
      check(cublasLtMatmulDescDestroy(operation), "cublasLtMatmulDescDestroy");
      check(cublasLtDestroy(context), "cublasLtDestroy");
    }
  }

  private static cublasLtMatrixLayoutOpaque_t layout(int rows, int columns) {
    return new cublasLtMatrixLayoutOpaque_t(
        created(to -> cublasLtMatrixLayoutCreate(to, CUDA_R_32F, rows, columns, rows)));
  }

  private static Pointer pointer(TypedBuffer buffer) {
    return JavaCppInterop.pointer(buffer.getAddress(), buffer.getSize());
  }

  private static float[] random(long seed) {
    Random random = new Random(seed);
    float[] matrix = new float[N * K];
    for (int i = 0; i < matrix.length; i++) {
      matrix[i] = random.nextFloat() - 0.5f;
    }
    return matrix;
  }

  /** Returns the norm of the error divided by the norm of the exact product. */
  private static double relativeError(float[] a, float[] b, float[] c) {
    double difference = 0;
    double norm = 0;
    for (int column = 0; column < N; column++) {
      double[] exact = new double[N];
      for (int k = 0; k < K; k++) {
        double factor = b[column * K + k];
        for (int row = 0; row < N; row++) {
          exact[row] += a[k * N + row] * factor;
        }
      }
      for (int row = 0; row < N; row++) {
        double off = c[column * N + row] - exact[row];
        difference += off * off;
        norm += exact[row] * exact[row];
      }
    }
    return Math.sqrt(difference / norm);
  }
}
