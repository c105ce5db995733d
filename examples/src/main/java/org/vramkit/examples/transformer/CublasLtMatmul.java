package org.vramkit.examples.transformer;

import static org.bytedeco.cuda.global.cublas.CUBLASLT_MATMUL_DESC_TRANSA;
import static org.bytedeco.cuda.global.cublas.CUBLASLT_MATMUL_DESC_TRANSB;
import static org.bytedeco.cuda.global.cublas.CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES;
import static org.bytedeco.cuda.global.cublas.CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT;
import static org.bytedeco.cuda.global.cublas.CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET;
import static org.bytedeco.cuda.global.cublas.CUBLAS_COMPUTE_32F;
import static org.bytedeco.cuda.global.cublas.CUBLAS_OP_N;
import static org.bytedeco.cuda.global.cublas.CUBLAS_OP_T;
import static org.bytedeco.cuda.global.cublas.cublasLtCreate;
import static org.bytedeco.cuda.global.cublas.cublasLtDestroy;
import static org.bytedeco.cuda.global.cublas.cublasLtMatmul;
import static org.bytedeco.cuda.global.cublas.cublasLtMatmulAlgoGetHeuristic;
import static org.bytedeco.cuda.global.cublas.cublasLtMatmulDescCreate;
import static org.bytedeco.cuda.global.cublas.cublasLtMatmulDescDestroy;
import static org.bytedeco.cuda.global.cublas.cublasLtMatmulDescSetAttribute;
import static org.bytedeco.cuda.global.cublas.cublasLtMatmulPreferenceDestroy;
import static org.bytedeco.cuda.global.cublas.cublasLtMatmulPreferenceSetAttribute;
import static org.bytedeco.cuda.global.cublas.cublasLtMatrixLayoutCreate;
import static org.bytedeco.cuda.global.cublas.cublasLtMatrixLayoutDestroy;
import static org.bytedeco.cuda.global.cublas.cublasLtMatrixLayoutSetAttribute;
import static org.bytedeco.cuda.global.cudart.CUDA_R_32F;
import static org.vramkit.examples.cuda.CublasLt.check;
import static org.vramkit.examples.cuda.CublasLt.created;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bytedeco.cuda.cublas.cublasLtContext;
import org.bytedeco.cuda.cublas.cublasLtMatmulDescOpaque_t;
import org.bytedeco.cuda.cublas.cublasLtMatmulHeuristicResult_t;
import org.bytedeco.cuda.cublas.cublasLtMatmulPreferenceOpaque_t;
import org.bytedeco.cuda.cublas.cublasLtMatrixLayoutOpaque_t;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.vramkit.api.allocator.Workspace;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.units.ByteSize;
import org.vramkit.examples.cuda.CublasLt;
import org.vramkit.javacpp.JavaCppInterop;

/**
 * Multiplies matrices by cuBLASLt in single precision. The workspace of each product comes from a
 * workspace pool; how much a product needs depends on its sizes.
 *
 * <p>cuBLASLt stores matrices by columns, which is the same as storing their transposes by rows. So
 * it computes the transpose of c, from b and a in this order.
 */
final class CublasLtMatmul implements Matmul {
  private static final long MOST_WORKSPACE = 32 * ByteSize.MIB;

  private final Device device;
  private final Workspace workspaces;
  private final Map<Product, Plan> plans = new HashMap<>();
  private final FloatPointer one = new FloatPointer(1).put(1);
  private final FloatPointer zero = new FloatPointer(1).put(0);
  private final cublasLtContext context = new cublasLtContext();
  private final cublasLtMatmulPreferenceOpaque_t preference;

  /** Descriptions of a product, and the algorithm that the library chose for it. */
  private record Plan(
      cublasLtMatmulDescOpaque_t operation,
      cublasLtMatrixLayoutOpaque_t left,
      cublasLtMatrixLayoutOpaque_t right,
      cublasLtMatrixLayoutOpaque_t result,
      cublasLtMatmulHeuristicResult_t algorithm) {}

  @SuppressWarnings("try") // the binding is held, not called
  CublasLtMatmul(Device device, Workspace workspaces) {
    this.device = device;
    this.workspaces = workspaces;
    try (DeviceBinding current = device.bind()) {
      check(cublasLtCreate(context), "cublasLtCreate");
    }
    preference = new cublasLtMatmulPreferenceOpaque_t(created(CublasLt::createPreference));
    try (SizeTPointer limit = new SizeTPointer(1).put(MOST_WORKSPACE)) {
      check(
          cublasLtMatmulPreferenceSetAttribute(
              preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, limit, limit.sizeof()),
          "cublasLtMatmulPreferenceSetAttribute");
    }
  }

  @Override
  @SuppressWarnings("try") // the binding is held, not called
  public void multiply(Stream stream, Product product, long c, long a, long b) {
    try (DeviceBinding current = device.bind()) {
      Plan plan = plans.computeIfAbsent(product, this::plan);
      long bytes = plan.algorithm.workspaceSize();
      Pointer target = pointer(c);
      try (WorkspaceLease workspace = workspaces.acquire(bytes, stream)) {
        check(
            cublasLtMatmul(
                context,
                plan.operation,
                one,
                pointer(b),
                plan.left,
                pointer(a),
                plan.right,
                zero,
                target,
                plan.result,
                target,
                plan.result,
                plan.algorithm.algo(),
                JavaCppInterop.pointer(workspace.getAddress(), workspace.getSize()),
                bytes,
                JavaCppInterop.stream(stream)),
            "cublasLtMatmul of " + product);
      }
    }
  }

  private Plan plan(Product product) {
    int m = product.m();
    int n = product.n();
    int k = product.k();
    cublasLtMatmulDescOpaque_t operation =
        new cublasLtMatmulDescOpaque_t(
            created(to -> cublasLtMatmulDescCreate(to, CUBLAS_COMPUTE_32F, CUDA_R_32F)));
    transpose(operation, CUBLASLT_MATMUL_DESC_TRANSA, product.transposeB());
    transpose(operation, CUBLASLT_MATMUL_DESC_TRANSB, product.transposeA());
    int batch = product.batch();
    Plan plan =
        new Plan(
            operation,
            product.transposeB() ? layout(k, n, batch) : layout(n, k, batch),
            product.transposeA() ? layout(m, k, batch) : layout(k, m, batch),
            layout(n, m, batch),
            new cublasLtMatmulHeuristicResult_t());
    int[] found = new int[1];
    check(
        cublasLtMatmulAlgoGetHeuristic(
            context,
            operation,
            plan.left,
            plan.right,
            plan.result,
            plan.result,
            preference,
            1,
            plan.algorithm,
            found),
        "cublasLtMatmulAlgoGetHeuristic");
    if (found[0] == 0) {
      throw new IllegalStateException("cuBLASLt has no algorithm for " + product);
    }
    return plan;
  }

  private static void transpose(cublasLtMatmulDescOpaque_t operation, int which, boolean value) {
    try (IntPointer kind = new IntPointer(1).put(value ? CUBLAS_OP_T : CUBLAS_OP_N)) {
      check(
          cublasLtMatmulDescSetAttribute(operation, which, kind, kind.sizeof()),
          "cublasLtMatmulDescSetAttribute");
    }
  }

  /** Describes matrices that are dense and stored by columns. */
  private static cublasLtMatrixLayoutOpaque_t layout(int rows, int columns, int batch) {
    cublasLtMatrixLayoutOpaque_t layout =
        new cublasLtMatrixLayoutOpaque_t(
            created(to -> cublasLtMatrixLayoutCreate(to, CUDA_R_32F, rows, columns, rows)));
    try (IntPointer count = new IntPointer(1).put(batch);
        LongPointer stride = new LongPointer(1).put((long) rows * columns)) {
      set(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, count);
      set(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride);
    }
    return layout;
  }

  private static void set(cublasLtMatrixLayoutOpaque_t layout, int which, Pointer value) {
    check(
        cublasLtMatrixLayoutSetAttribute(layout, which, value, value.sizeof()),
        "cublasLtMatrixLayoutSetAttribute");
  }

  private static Pointer pointer(long address) {
    return JavaCppInterop.pointer(address, Float.BYTES);
  }

  @Override
  @SuppressWarnings("try") // the binding is held, not called
  public void close() {
    List<Runnable> steps = new ArrayList<>();
    for (Plan each : plans.values()) {
      steps.add(
          () -> check(cublasLtMatmulDescDestroy(each.operation), "cublasLtMatmulDescDestroy"));
      for (cublasLtMatrixLayoutOpaque_t layout : List.of(each.left, each.right, each.result)) {
        steps.add(() -> check(cublasLtMatrixLayoutDestroy(layout), "cublasLtMatrixLayoutDestroy"));
      }
      steps.add(each.algorithm::close);
    }
    steps.add(
        () ->
            check(cublasLtMatmulPreferenceDestroy(preference), "cublasLtMatmulPreferenceDestroy"));
    steps.add(() -> check(cublasLtDestroy(context), "cublasLtDestroy"));
    steps.add(one::close);
    steps.add(zero::close);
    try (DeviceBinding current = device.bind()) {
      Batch.forEach(steps, Runnable::run);
    }
  }
}
