package org.vramkit.cuda;

import java.util.Objects;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.cuda.driver.KernelCalls;
import org.vramkit.cuda.driver.ParameterSpace;

/**
 * A launch of a kernel, which is reused for later launches. It is the driver call and the error
 * message at once, so that a launch creates no objects. Used by one thread at a time.
 */
final class CudaLaunch implements IntSupplier, Supplier<String> {
  private final CudaKernel kernel;
  private final KernelCalls calls;
  private final ParameterSpace parameters;
  private @Nullable CudaStream stream;
  private @Nullable LaunchConfig config;

  CudaLaunch(CudaKernel kernel, KernelCalls calls) {
    this.kernel = kernel;
    this.calls = calls;
    this.parameters = calls.createParameters(kernel.getSignature().getSize());
  }

  void submit(CudaStream on, LaunchConfig shape, Object[] given) {
    CudaModule module = kernel.module();
    module.life().enter(module);
    try {
      on.life().enter(on);
      try {
        kernel.arguments.pack(given, parameters.bytes());
        stream = on;
        config = shape;
        kernel.device().graphs.captures(on, module);
        kernel.device().context.run("cuLaunchKernel", this, this);
      } finally {
        on.life().leave();
      }
    } finally {
      module.life().leave();
    }
    stream = null;
  }

  /** Makes the driver call. */
  @Override
  public int getAsInt() {
    return calls.cuLaunchKernel(
        kernel.function,
        Objects.requireNonNull(config),
        Objects.requireNonNull(stream).handle(),
        parameters);
  }

  /** Returns the failed action. */
  @Override
  public String get() {
    return "cannot launch " + kernel.getSignature() + " as " + config + " on " + stream;
  }
}
