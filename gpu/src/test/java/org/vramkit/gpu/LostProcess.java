package org.vramkit.gpu;

import static org.bytedeco.cuda.global.cudart.cuLaunchKernel;
import static org.bytedeco.cuda.global.cudart.cuModuleGetFunction;
import static org.bytedeco.cuda.global.cudart.cuModuleLoadData;

import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.PointerPointer;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.javacpp.JavaCppInterop;

/**
 * Breaks CUDA for its process by a kernel that writes to address 16, and prints the errors that
 * follow.
 */
final class LostProcess {
  private static final String PTX =
      """
      .version 6.0
      .target sm_50
      .address_size 64
      .visible .entry wild_write()
      {
        .reg .u64 %wild;
        .reg .u32 %x;
        mov.u64 %wild, 16;
        mov.u32 %x, 1;
        st.global.u32 [%wild], %x;
        ret;
      }
      """;

  private LostProcess() {}

  @SuppressWarnings("try") // the binding is held, not called
  public static void main(String[] arguments) {
    try (Backend backend = Backends.open("javacpp");
        Backend other = Backends.open("jcuda")) {
      Device device = backend.getDevice(0);
      Stream stream = device.createStream();
      try (DeviceBinding current = device.bind();
          BytePointer text = new BytePointer(PTX)) {
        CUmod_st module = new CUmod_st();
        CUfunc_st kernel = new CUfunc_st();
        check(cuModuleLoadData(module, text));
        check(cuModuleGetFunction(kernel, module, "wild_write"));
        check(
            cuLaunchKernel(
                kernel,
                1,
                1,
                1,
                1,
                1,
                1,
                0,
                JavaCppInterop.stream(stream),
                new PointerPointer<>(1),
                null));
        expectFatal("the stream", stream::synchronize);
      }
      expectFatal("the device", () -> device.getMemory().allocate(1024));
      expectFatal("the last device", () -> last(backend).createStream());
      expectFatal("the other binding", () -> other.getDevice(0).getMemoryInfo());
      stream.close();
    }
    System.out.println("closed without an error");
  }

  private static Device last(Backend backend) {
    return backend.getDevice(backend.getDevices().size() - 1);
  }

  private static void check(int result) {
    if (result != 0) {
      throw new IllegalStateException("result " + result);
    }
  }

  private static void expectFatal(String what, Runnable action) {
    try {
      action.run();
      System.out.println(what + " works");
    } catch (FatalDeviceException e) {
      System.out.println(what + " is lost: " + e.getStatus().code());
    }
  }
}
