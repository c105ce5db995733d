package org.vramkit.gpu;

import static org.bytedeco.cuda.global.cudart.cuLaunchKernel;
import static org.bytedeco.cuda.global.cudart.cuModuleGetFunction;
import static org.bytedeco.cuda.global.cudart.cuModuleLoadData;

import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.PointerPointer;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.Stream;
import org.vramkit.javacpp.JavaCppInterop;

/** A kernel in PTX that writes one byte to a given address, with one thread. */
final class PokeKernel {
  private static final String PTX =
      """
      .version 6.0
      .target sm_50
      .address_size 64

      .visible .entry poke(
        .param .u64 x_param
      )
      {
        .reg .u16 %v;
        .reg .u64 %x;

        ld.param.u64 %x, [x_param];
        cvta.to.global.u64 %x, %x;
        mov.u16 %v, 7;
        st.global.u8 [%x], %v;
        ret;
      }
      """;

  private final CUfunc_st function = new CUfunc_st();

  /** Loads the kernel on the stream's device until the process ends. */
  @SuppressWarnings("try") // the binding is held, not called
  PokeKernel(Stream stream) {
    CUmod_st module = new CUmod_st();
    try (DeviceBinding current = stream.getDevice().bind();
        BytePointer text = new BytePointer(PTX)) {
      check(cuModuleLoadData(module, text), "cuModuleLoadData");
      check(cuModuleGetFunction(function, module, "poke"), "cuModuleGetFunction");
    }
  }

  /** Queues a write to an address. */
  @SuppressWarnings("try") // the binding is held, not called
  void write(long address, Stream stream) {
    try (DeviceBinding current = stream.getDevice().bind();
        LongPointer place = new LongPointer(1).put(address);
        PointerPointer<?> parameters = new PointerPointer<>(1)) {
      parameters.put(0, place);
      check(
          cuLaunchKernel(
              function, 1, 1, 1, 1, 1, 1, 0, JavaCppInterop.stream(stream), parameters, null),
          "cuLaunchKernel");
    }
  }

  private static void check(int result, String call) {
    if (result != 0) {
      throw new IllegalStateException(call + " returned " + result);
    }
  }
}
