package org.vramkit.agent;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.List;
import jcuda.driver.JITOptions;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.Result;
import org.vramkit.api.error.ModuleLoadException;

/** The functions that only JCuda has: its log, and modules with the log of their compiler. */
final class JCudaCompiler {
  /** The number of {@code LogLevel.LOG_TRACE}. */
  private static final int LOG_TRACE = 5;

  /** The last option that JCuda knows; it passes a wrong value of a target. */
  private static final int LAST_OPTION = 14;

  /** The status of an error in JCuda itself. */
  private static final int INTERNAL_ERROR = 0x8000_0001;

  private static final MethodHandle KEYS;

  static {
    try {
      KEYS =
          MethodHandles.privateLookupIn(JITOptions.class, MethodHandles.lookup())
              .findVirtual(JITOptions.class, "getKeys", MethodType.methodType(int[].class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private JCudaCompiler() {}

  private static List<Integer> keysOf(JITOptions options) {
    try {
      return Arrays.stream((int[]) KEYS.invokeExact(options)).boxed().toList();
    } catch (Throwable e) {
      throw new IllegalStateException("the keys of " + options, e);
    }
  }

  static void setLogLevel(int level) {
    NativeCalls.trace(level >= LOG_TRACE);
  }

  static void cuModuleLoadDataJIT(Result module, CudaPointer image, @Nullable JITOptions options) {
    if (options != null) {
      List<Integer> keys = keysOf(options);
      boolean isKnown = keys.stream().allMatch(each -> each <= LAST_OPTION);
      CudaError.require(isKnown, INTERNAL_ERROR);
      CudaError.require(!keys.contains(DriverModules.TARGET), CudaError.INVALID_IMAGE);
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
