package org.vramkit.cuda;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.KernelParameter;
import org.vramkit.api.device.KernelSignature;
import org.vramkit.api.device.ModuleGlobal;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.ModuleLoadException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.api.spi.LaunchArguments;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.KernelCalls;

/** A loaded module. The driver's unload waits for kernels of the module that still run. */
final class CudaModule implements KernelModule {
  private static final int LOG_BYTES = 16 * 1024;

  /** {@code CUDA_ERROR_NOT_FOUND}. */
  private static final int NOT_FOUND = 500;

  private final CudaDevice device;
  private final Handle handle;
  private final KernelCalls calls;
  private final String log;

  /** The signatures in the PTX; empty for a binary. */
  private final Map<String, KernelSignature> signatures;

  private final Map<String, CudaKernel> kernels = new ConcurrentHashMap<>();
  private final Lifetime life = new Lifetime(this::unload);

  private CudaModule(
      CudaDevice device, Handle handle, String log, Map<String, KernelSignature> signatures) {
    this.device = device;
    this.handle = handle;
    this.calls = device.driver.kernels();
    this.log = log;
    this.signatures = signatures;
    device.context.open.add(OpenHandles.Kind.MODULE, handle.getAddress(), 0);
  }

  static CudaModule load(CudaDevice device, byte[] image) {
    Objects.requireNonNull(image, "image");
    byte[] terminated = Arrays.copyOf(image, image.length + 1);
    byte[] infoLog = new byte[LOG_BYTES];
    byte[] errorLog = new byte[LOG_BYTES];
    Handle[] made = new Handle[1];
    String call = "cuModuleLoadDataEx";
    int result =
        device.context.call(
            call,
            () -> device.driver.kernels().cuModuleLoadDataEx(made, terminated, infoLog, errorLog));
    if (result == CudaResult.OUT_OF_MEMORY || CaptureException.isAbout(result)) {
      throw device.errors.error(call, result, "cannot load a module of " + image.length + " bytes");
    }
    if (result != CudaResult.SUCCESS) {
      throw new ModuleLoadException(device.errors.status(call, result), text(errorLog));
    }
    return new CudaModule(device, made[0], text(infoLog), PtxEntries.of(image));
  }

  private static String text(byte[] log) {
    int length = 0;
    while (length < log.length && log[length] != 0) {
      length++;
    }
    return new String(log, 0, length, StandardCharsets.UTF_8);
  }

  private void unload() {
    device.context.open.release(
        OpenHandles.Kind.MODULE,
        handle.getAddress(),
        () ->
            device.context.release(
                "cuModuleUnload",
                () -> "cannot unload " + this,
                () -> calls.cuModuleUnload(handle)));
  }

  CudaDevice device() {
    return device;
  }

  Lifetime life() {
    return life;
  }

  @Override
  public Device getDevice() {
    return device;
  }

  @Override
  public String getLog() {
    return log;
  }

  @Override
  public Kernel getKernel(String name) {
    Objects.requireNonNull(name, "name");
    life.enter(this);
    try {
      CudaKernel known = kernels.get(name);
      if (known != null) {
        return known;
      }
      Handle[] found = new Handle[1];
      String call = "cuModuleGetFunction";
      int result = device.context.call(call, () -> calls.cuModuleGetFunction(found, handle, name));
      if (result == NOT_FOUND || result == CudaResult.INVALID_VALUE) {
        throw LaunchArguments.unknownKernel(name, signatures.keySet());
      }
      device.errors.requireSuccess(call, () -> "cannot get the kernel " + name, result);
      KernelSignature declared = signatures.get(name);
      KernelSignature signature = declared != null ? declared : signatureOf(name, found[0]);
      return kernels.computeIfAbsent(name, key -> new CudaKernel(this, found[0], signature));
    } finally {
      life.leave();
    }
  }

  /** Queries the parameters of a kernel, which the driver knows without types and names. */
  private KernelSignature signatureOf(String name, Handle function) {
    List<KernelParameter> parameters = new ArrayList<>();
    long[] offsetAndSize = new long[2];
    int result = CudaResult.NOT_SUPPORTED;
    if (device.version >= KernelCalls.PARAM_INFO_SINCE) {
      result = parameter(function, 0, offsetAndSize);
      for (int i = 1; result == CudaResult.SUCCESS; i++) {
        int size = (int) offsetAndSize[1];
        parameters.add(new KernelParameter(size + " bytes", "", (int) offsetAndSize[0], size, 1));
        result = parameter(function, i, offsetAndSize);
      }
    }
    if (result == CudaResult.NOT_SUPPORTED) {
      throw new NotSupportedException(
          "cannot determine the parameters of "
              + name
              + ": its module is binary, and cuFuncGetParamInfo is missing in "
              + device.driver.getBinding()
              + " or in the driver, which has it from CUDA 12.4 on; load PTX");
    }
    return new KernelSignature(name, parameters);
  }

  private int parameter(Handle function, int index, long[] offsetAndSize) {
    return device.context.call(
        "cuFuncGetParamInfo", () -> calls.cuFuncGetParamInfo(function, index, offsetAndSize));
  }

  @Override
  public ModuleGlobal getGlobal(String name) {
    Objects.requireNonNull(name, "name");
    life.enter(this);
    try {
      long[] addressAndBytes = new long[2];
      String call = "cuModuleGetGlobal";
      int result =
          device.context.call(call, () -> calls.cuModuleGetGlobal(addressAndBytes, handle, name));
      if (result == NOT_FOUND || result == CudaResult.INVALID_VALUE) {
        throw new InvalidArgumentException(
            "the module has no global or constant variable \""
                + name
                + "\"; C++ compilers change names unless the variable is declared extern \"C\"",
            device.errors.status(call, result));
      }
      device.errors.requireSuccess(call, () -> "cannot get the variable " + name, result);
      return new ModuleGlobal(name, addressAndBytes[0], addressAndBytes[1]);
    } finally {
      life.leave();
    }
  }

  @Override
  public boolean isClosed() {
    return life.isClosed();
  }

  @Override
  public void close() {
    life.close();
  }

  @Override
  public String toString() {
    return "module 0x" + Long.toHexString(handle.getAddress()) + " of " + device;
  }
}
