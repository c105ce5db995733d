package org.vramkit.gpu;

import static org.bytedeco.cuda.global.cudart.cuLaunchKernel;
import static org.bytedeco.cuda.global.cudart.cuModuleGetFunction;
import static org.bytedeco.cuda.global.cudart.cuModuleLoadData;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.PointerPointer;
import org.vramkit.api.device.Stream;
import org.vramkit.javacpp.JavaCppInterop;

/** Kernels for real GPUs, in PTX. */
final class CudaWork implements ScatterWork {
  private static final int THREADS = 256;

  /** Multiply-adds per float read, enough to make the kernel compute-bound. */
  private static final int ROUNDS = 4096;

  private static final String PTX =
      """
      .version 6.0
      .target sm_50
      .address_size 64

      .visible .entry work(
        .param .u64 x_param,
        .param .u32 n_param,
        .param .u32 rounds_param
      )
      {
        .reg .pred %past, %more;
        .reg .u32 %n, %rounds, %thread, %block, %width, %i;
        .reg .u64 %x, %offset;
        .reg .f32 %v;

        ld.param.u64 %x, [x_param];
        ld.param.u32 %n, [n_param];
        ld.param.u32 %rounds, [rounds_param];
        mov.u32 %thread, %tid.x;
        mov.u32 %block, %ctaid.x;
        mov.u32 %width, %ntid.x;
        mad.lo.u32 %i, %block, %width, %thread;
        setp.ge.u32 %past, %i, %n;
        @%past bra DONE;
        cvta.to.global.u64 %x, %x;
        mul.wide.u32 %offset, %i, 4;
        add.u64 %x, %x, %offset;
        ld.global.f32 %v, [%x];
      AGAIN:
        fma.rn.f32 %v, %v, 0f3F7FFFFE, 0f3F000000;
        sub.u32 %rounds, %rounds, 1;
        setp.gt.u32 %more, %rounds, 0;
        @%more bra AGAIN;
        st.global.f32 [%x], %v;
      DONE:
        ret;
      }
      """;

  /** Kernels by device, loaded until the process ends. */
  private final Map<Integer, CUfunc_st> functions = new ConcurrentHashMap<>();

  @Override
  public void launch(Limit limit, Stream stream, long address, int count) {
    CUfunc_st function =
        functions.computeIfAbsent(stream.getDevice().getOrdinal(), ordinal -> load());
    try (LongPointer data = new LongPointer(1).put(address);
        IntPointer n = new IntPointer(1).put(count);
        IntPointer rounds = new IntPointer(1).put(limit == Limit.MEMORY ? 1 : ROUNDS);
        PointerPointer<?> parameters = new PointerPointer<>(3)) {
      parameters.put(0, data).put(1, n).put(2, rounds);
      check(
          cuLaunchKernel(
              function,
              (count + THREADS - 1) / THREADS,
              1,
              1,
              THREADS,
              1,
              1,
              0,
              JavaCppInterop.stream(stream),
              parameters,
              null),
          "cuLaunchKernel");
    }
  }

  private static CUfunc_st load() {
    CUmod_st module = new CUmod_st();
    CUfunc_st function = new CUfunc_st();
    try (BytePointer text = new BytePointer(PTX)) {
      check(cuModuleLoadData(module, text), "cuModuleLoadData");
      check(cuModuleGetFunction(function, module, "work"), "cuModuleGetFunction");
    }
    return function;
  }

  private static void check(int result, String call) {
    if (result != 0) {
      throw new IllegalStateException(call + " returned " + result);
    }
  }

  @Override
  public void close() {
    functions.clear();
  }
}
