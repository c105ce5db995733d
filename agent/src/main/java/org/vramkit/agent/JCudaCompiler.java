package org.vramkit.agent;

import jcuda.driver.JITOptions;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.Result;
import org.vramkit.api.error.ModuleLoadException;

/** The functions that only JCuda has: its log, and modules with the log of their compiler. */
final class JCudaCompiler {
  /** The number of {@code LogLevel.LOG_TRACE}. */
  private static final int LOG_TRACE = 5;

  private JCudaCompiler() {}

  static void setLogLevel(int level) {
    NativeCalls.trace(level >= LOG_TRACE);
  }

  static void cuModuleLoadDataJIT(Result module, CudaPointer image, @Nullable JITOptions options) {
    if (options != null) {
      // An option that was not given is 0.
      int target = options.getInt(DriverModules.TARGET);
      DriverModules.requireTarget(target == 0 ? DriverModules.OLDEST_TARGET : target);
      boolean isRemoved = options.getInt(DriverModules.NEW_SM3X_OPT) != 0;
      CudaError.require(!isRemoved, CudaError.INVALID_PTX);
    }
    try {
      DriverModules.load(module, image.text());
      log(options, DriverModules.ERROR_LOG, DriverModules.ERROR_LOG_BYTES, "");
    } catch (ModuleLoadException e) {
      log(options, DriverModules.ERROR_LOG, DriverModules.ERROR_LOG_BYTES, e.getLog());
      throw e;
    } finally {
      log(options, DriverModules.INFO_LOG, DriverModules.INFO_LOG_BYTES, "");
    }
  }

  /** Writes a log where the options have room for it. */
  private static void log(@Nullable JITOptions options, int log, int size, String text) {
    if (options == null) {
      return;
    }
    byte[] room = options.getBytes(log);
    if (room != null && room.length > 0) {
      options.putInt(size, DriverModules.logInto(room, text));
    }
  }
}
