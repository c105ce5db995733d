package org.vramkit.examples.cuda;

import static org.bytedeco.cuda.global.cudart.cuLaunchKernel;
import static org.bytedeco.cuda.global.cudart.cuModuleGetFunction;
import static org.bytedeco.cuda.global.cudart.cuModuleLoadData;
import static org.bytedeco.cuda.global.cudart.cuModuleUnload;

import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.PointerPointer;
import org.vramkit.api.device.Stream;
import org.vramkit.javacpp.JavaCppInterop;

/** The kernel of {@link VectorAddKernel} on the current device, loaded through JavaCPP. */
final class JavaCppKernels implements AutoCloseable {
  private final CUmod_st module = new CUmod_st();
  private final CUfunc_st add = new CUfunc_st();

  JavaCppKernels() {
    try (BytePointer text = new BytePointer(VectorAddKernel.PTX)) {
      check(cuModuleLoadData(module, text), "cuModuleLoadData");
      check(cuModuleGetFunction(add, module, VectorAddKernel.NAME), "cuModuleGetFunction");
    }
  }

  /** Submits {@code c[i] = a[i] + b[i]} for n floats at device addresses. */
  void add(long c, long a, long b, int n, Stream stream) {
    try (LongPointer addresses = new LongPointer(c, a, b);
        IntPointer count = new IntPointer(1).put(n);
        PointerPointer<?> parameters = new PointerPointer<>(4)) {
      for (int i = 0; i < 3; i++) {
        parameters.put(i, addresses.getPointer(i));
      }
      parameters.put(3, count);
      // The driver reads the parameters before it returns.
      check(
          cuLaunchKernel(
              add,
              VectorAddKernel.blocks(n),
              1,
              1,
              VectorAddKernel.THREADS_PER_BLOCK,
              1,
              1,
              0,
              JavaCppInterop.stream(stream),
              parameters,
              null),
          "cuLaunchKernel");
    }
  }

  private static void check(int result, String call) {
    if (result != 0) {
      throw new IllegalStateException(call + " returned " + result);
    }
  }

  @Override
  public void close() {
    check(cuModuleUnload(module), "cuModuleUnload");
  }
}
