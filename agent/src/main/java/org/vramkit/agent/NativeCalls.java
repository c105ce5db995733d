package org.vramkit.agent;

import java.lang.System.Logger.Level;
import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Links the native methods of bindings to their handlers; for the code that the agent makes. */
public final class NativeCalls {
  private static final String DRIVER = "jcuda.driver.JCudaDriver";
  private static final String COMPILER = "jcuda.nvrtc.JNvrtc";
  private static final String RUNTIME = "jcuda.runtime.JCuda";
  private static final String SUFFIX = "Native";

  /** The classes whose native methods are answered. */
  static final List<String> BINDINGS = List.of(DRIVER, RUNTIME, COMPILER);

  private static final System.Logger LOG = System.getLogger(NativeCalls.class.getName());
  private static final MethodHandles.Lookup OWN = MethodHandles.lookup();
  private static final MethodHandle ENTER;
  private static final MethodHandle STATUS;
  private static final MethodHandle SETTLE;
  private static final MethodHandle REFUSE;

  static {
    try {
      ENTER =
          OWN.findStatic(
              NativeCalls.class, "enter", MethodType.methodType(void.class, CallRow.class));
      STATUS =
          OWN.findStatic(
              NativeCalls.class,
              "status",
              MethodType.methodType(int.class, CallRow.class, RuntimeException.class));
      SETTLE =
          OWN.findStatic(NativeCalls.class, "settle", MethodType.methodType(int.class, int.class));
      REFUSE =
          OWN.findStatic(
              NativeCalls.class,
              "refuse",
              MethodType.methodType(UnsupportedOperationException.class, String.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static volatile boolean traced;

  private NativeCalls() {}

  /** Returns the classes with handlers for a binding. */
  static List<Class<?>> handlersOf(String binding) {
    return switch (binding) {
      case DRIVER ->
          List.of(
              JCudaDevices.class,
              JCudaContexts.class,
              JCudaMemory.class,
              JCudaCopies.class,
              JCudaStreams.class,
              JCudaModules.class,
              JCudaLaunches.class);
      case RUNTIME ->
          List.of(JCudaRuntimeDevices.class, JCudaRuntimeMemory.class, JCudaRuntimeStreams.class);
      case COMPILER -> List.of(JCudaCompiler.class);
      default -> throw new IllegalArgumentException(binding);
    };
  }

  /** Returns the handlers of a binding by the names of their functions. */
  static Map<String, Method> handlers(String binding) {
    return handlersOf(binding).stream()
        .flatMap(each -> Arrays.stream(each.getDeclaredMethods()))
        .filter(each -> CallRow.isFunction(each.getName()) && !each.isSynthetic())
        .collect(Collectors.toMap(Method::getName, each -> each));
  }

  /** Links a native method; a bootstrap method of {@code invokedynamic}. */
  public static CallSite link(MethodHandles.Lookup caller, String name, MethodType type)
      throws ReflectiveOperationException {
    String function =
        name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
    return new ConstantCallSite(target(caller.lookupClass().getName(), function, type));
  }

  private static MethodHandle target(String binding, String function, MethodType type)
      throws ReflectiveOperationException {
    CallRow row = CallRow.find(function);
    MethodHandle handler = row == null || !row.isSimulated() ? null : find(binding, row, type);
    if (row == null || handler == null) {
      return refusal(function, row, type);
    }
    MethodHandle guarded =
        MethodHandles.foldArguments(handler, MethodHandles.insertArguments(ENTER, 0, row));
    if (type.returnType() != int.class) {
      return guarded;
    }
    MethodHandle answered =
        MethodHandles.catchException(
            guarded, RuntimeException.class, MethodHandles.insertArguments(STATUS, 0, row));
    return row.setsLastError() ? MethodHandles.filterReturnValue(answered, SETTLE) : answered;
  }

  private static @Nullable MethodHandle find(String binding, CallRow row, MethodType type)
      throws ReflectiveOperationException {
    Method found = handlers(binding).get(row.function());
    return found == null
        ? null
        : MethodHandles.privateLookupIn(found.getDeclaringClass(), OWN)
            .findStatic(found.getDeclaringClass(), row.function(), type);
  }

  private static MethodHandle refusal(String function, @Nullable CallRow row, MethodType type) {
    String reason = row == null ? "this version of the agent does not know it" : row.reason();
    MethodHandle thrown =
        MethodHandles.insertArguments(REFUSE, 0, function + " is not simulated: " + reason);
    return MethodHandles.dropArguments(
        MethodHandles.foldArguments(
            MethodHandles.throwException(type.returnType(), UnsupportedOperationException.class),
            thrown),
        0,
        type.parameterList());
  }

  @SuppressWarnings("unused") // found by its name
  private static UnsupportedOperationException refuse(String message) {
    return new UnsupportedOperationException(message);
  }

  /** Lets each call print its function, as JCuda does at its most detailed levels. */
  static void trace(boolean on) {
    traced = on;
  }

  /** Begins a call: makes what its row says, and refuses it where it may not be made. */
  @SuppressWarnings("unused") // found by its name
  private static void enter(CallRow row) {
    if (traced) {
      System.out.println("Executing " + row.function());
    }
    CudaThread thread = CudaThread.current();
    CudaError.require(!thread.inHostFunction || row.inHostFunction(), CudaError.NOT_PERMITTED);
    row.needs().meet(thread);
  }

  @SuppressWarnings("unused") // found by its name
  private static int status(CallRow row, RuntimeException thrown) {
    int status = CudaError.statusOf(row.function(), thrown);
    // A status says less than the simulator does.
    LOG.log(Level.DEBUG, () -> row.function() + " returns " + status + ": " + thrown.getMessage());
    return status;
  }

  /** Keeps a status of the runtime for {@code cudaGetLastError}. */
  @SuppressWarnings("unused") // found by its name
  private static int settle(int status) {
    CudaThread thread = CudaThread.current();
    if (thread.refusedByBinding) {
      thread.refusedByBinding = false;
    } else if (status != 0 && status != CudaError.NOT_READY) {
      thread.lastError = status;
    }
    return status;
  }
}
