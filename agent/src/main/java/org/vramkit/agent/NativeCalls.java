package org.vramkit.agent;

import java.lang.System.Logger.Level;
import java.lang.invoke.CallSite;
import java.lang.invoke.ConstantCallSite;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.Binding;
import org.vramkit.agent.Arguments.Call;
import org.vramkit.api.error.ModuleLoadException;

/**
 * Links the native methods of bindings to their handlers; for the code that the agent makes. A
 * linked method turns its arguments into those of the handler, meets the conditions of its row, and
 * returns a status for each refusal.
 */
public final class NativeCalls {
  private static final String JAVACPP = "org.bytedeco.cuda.";
  private static final String SUFFIX = "Native";

  /** The classes with the functions of CUDA. */
  static final List<String> BINDINGS =
      List.of(
          "jcuda.driver.JCudaDriver",
          "jcuda.runtime.JCuda",
          "jcuda.nvrtc.JNvrtc",
          JAVACPP + "global.cudart",
          JAVACPP + "global.nvrtc");

  /** The handlers of both bindings, in which a function is the method of its name. */
  private static final List<Class<?>> HANDLERS =
      List.of(
          DriverDevices.class,
          DriverContexts.class,
          DriverMemory.class,
          DriverPools.class,
          DriverVirtualMemory.class,
          DriverCopies.class,
          DriverStreams.class,
          DriverModules.class,
          DriverLaunches.class,
          DriverGraphs.class,
          RuntimeDevices.class,
          RuntimeMemory.class,
          RuntimeLaunches.class,
          Compiler.class);

  private static final System.Logger LOG = System.getLogger(NativeCalls.class.getName());
  private static final MethodHandles.Lookup OWN = MethodHandles.lookup();
  private static final MethodHandle ENTER = find("enter", void.class, CallRow.class);
  private static final MethodHandle STATUS =
      find("status", int.class, CallRow.class, RuntimeException.class);
  private static final MethodHandle SETTLE = find("settle", int.class, int.class);
  private static final MethodHandle REFUSE =
      find("refuse", UnsupportedOperationException.class, String.class);
  private static final MethodHandle REQUIRE_NAMED =
      find("requireNamed", Object.class, String.class, Object.class);
  private static final MethodHandle REQUIRE =
      find("require", Object.class, int.class, Object.class);

  private static final Map<Binding, Map<String, List<Method>>> BY_NAME =
      new EnumMap<>(Binding.class);

  private static volatile boolean traced;

  private NativeCalls() {}

  private static MethodHandle find(String name, Class<?> result, Class<?>... parameters) {
    try {
      return OWN.findStatic(NativeCalls.class, name, MethodType.methodType(result, parameters));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Returns whether native methods of a class are answered: functions or a struct of CUDA. */
  static boolean isAnswered(String className) {
    return BINDINGS.contains(className)
        || className.startsWith(JAVACPP + "cudart.")
        || className.startsWith(JAVACPP + "nvrtc.");
  }

  static Binding bindingOf(String className) {
    return className.startsWith(JAVACPP) ? Binding.JAVACPP : Binding.JCUDA;
  }

  /** Returns the handlers of a binding by their names. */
  static synchronized Map<String, List<Method>> handlers(Binding binding) {
    return BY_NAME.computeIfAbsent(
        binding,
        key ->
            Stream.concat(
                    HANDLERS.stream(),
                    // The classes of the other binding may be missing.
                    key == Binding.JCUDA ? Stream.of(JCudaCompiler.class) : Stream.of())
                .flatMap(each -> Arrays.stream(each.getDeclaredMethods()))
                .filter(each -> CallRow.isFunction(each.getName()) && !each.isSynthetic())
                .filter(each -> !Modifier.isPrivate(each.getModifiers()))
                .collect(Collectors.groupingBy(Method::getName)));
  }

  /** Stands for the loading of native libraries by JavaCPP; returns false for other classes. */
  public static boolean load(Class<?> type) {
    boolean isAnswered = isAnswered(type.getName());
    if (isAnswered) {
      JavaCppStructs.load(type);
    }
    return isAnswered;
  }

  /** Links a native method; a bootstrap method of {@code invokedynamic}. */
  public static CallSite link(MethodHandles.Lookup caller, String name, MethodType type)
      throws ReflectiveOperationException {
    Class<?> owner = caller.lookupClass();
    if (!BINDINGS.contains(owner.getName())) {
      MethodHandle accessor = JavaCppStructs.find(owner, name, type);
      return new ConstantCallSite(
          accessor == null
              ? refusal(owner.getSimpleName() + "." + name, "this part of a struct", type)
              : accessor);
    }
    String function =
        name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
    Binding binding = bindingOf(owner.getName());
    MethodHandle target = target(binding, function, type);
    return new ConstantCallSite(
        binding == Binding.JAVACPP
            ? JavaCppValues.requireValues(
                owner.getDeclaredMethod(name, type.parameterArray()), target)
            : target);
  }

  private static MethodHandle target(Binding binding, String function, MethodType type)
      throws ReflectiveOperationException {
    CallRow row = CallRow.find(function);
    MethodHandle value =
        row == null && binding == Binding.JAVACPP ? JavaCppValues.find(function, type) : null;
    if (value != null) {
      return value;
    }
    if (row == null || !row.isSimulated()) {
      return refusal(function, row == null ? CallRow.reasonOutside(function) : row.reason(), type);
    }
    if (binding == Binding.JCUDA && row.onlyInJavaCpp()) {
      return refusal(function, "JCuda passes wrong arguments of it to the driver", type);
    }
    MethodHandle handler = handler(binding, row, type);
    if (handler == null) {
      return refusal(function, "this form of it, " + type, type);
    }
    if (type.returnType() != int.class) {
      return handler;
    }
    MethodHandle answered =
        MethodHandles.catchException(
            handler, RuntimeException.class, MethodHandles.insertArguments(STATUS, 0, row));
    return row.setsLastError() ? MethodHandles.filterReturnValue(answered, SETTLE) : answered;
  }

  /** Returns the handler with the types of a native method; null if there is none. */
  static @Nullable MethodHandle handler(Binding binding, CallRow row, MethodType type)
      throws ReflectiveOperationException {
    Method method = choose(binding, row, type.parameterCount());
    if (method == null) {
      return null;
    }
    MethodHandle handler =
        MethodHandles.privateLookupIn(method.getDeclaringClass(), OWN).unreflect(method);
    int first = takesCall(method) ? 1 : 0;
    if (first == 1) {
      handler = MethodHandles.insertArguments(handler, 0, new Call(row, binding));
    }
    while (handler.type().parameterCount() > type.parameterCount()) {
      handler = withoutLast(handler);
    }
    handler = requireArguments(method, first, handler);
    return adapt(
        binding,
        row,
        MethodHandles.foldArguments(handler, MethodHandles.insertArguments(ENTER, 0, row)),
        type);
  }

  private static boolean takesCall(Method method) {
    Class<?>[] types = method.getParameterTypes();
    return types.length > 0 && types[0] == Call.class;
  }

  /** Chooses the handler with as many parameters, or the one that has defaults for its last. */
  private static @Nullable Method choose(Binding binding, CallRow row, int count) {
    Method best = null;
    int missing = Integer.MAX_VALUE;
    for (Method each : handlers(binding).getOrDefault(row.handler(), List.of())) {
      int more = each.getParameterCount() - (takesCall(each) ? 1 : 0) - count;
      if (more >= 0 && more < missing) {
        best = each;
        missing = more;
      }
    }
    return best;
  }

  /** Gives the last parameter the default of the C++ functions, 0 or null. */
  private static MethodHandle withoutLast(MethodHandle handler) {
    int last = handler.type().parameterCount() - 1;
    return MethodHandles.collectArguments(
        handler, last, MethodHandles.zero(handler.type().parameterType(last)));
  }

  /** Refuses null where a handler needs an object. */
  private static MethodHandle requireArguments(Method method, int first, MethodHandle handler) {
    MethodHandle required = handler;
    boolean isCompiler = method.getName().startsWith("nvrtc");
    int status = isCompiler ? CompiledProgram.INVALID_INPUT : CudaError.INVALID_VALUE;
    MethodHandle check = MethodHandles.insertArguments(REQUIRE, 0, status);
    AnnotatedType[] types = method.getAnnotatedParameterTypes();
    for (int i = 0; i < handler.type().parameterCount(); i++) {
      Class<?> type = handler.type().parameterType(i);
      if (!type.isPrimitive() && !types[first + i].isAnnotationPresent(Nullable.class)) {
        required =
            MethodHandles.filterArguments(
                required, i, check.asType(MethodType.methodType(type, type)));
      }
    }
    return required;
  }

  private static @Nullable MethodHandle adapt(
      Binding binding, CallRow row, MethodHandle handler, MethodType type)
      throws ReflectiveOperationException {
    MethodHandle adapted = handler;
    for (int i = 0; i < type.parameterCount(); i++) {
      Class<?> given = type.parameterType(i);
      MethodHandle adapter = ArgumentAdapters.find(binding, given, adapted.type().parameterType(i));
      if (adapter == null) {
        return null;
      }
      adapted = MethodHandles.filterArguments(adapted, i, adapter);
    }
    // The filter that is added last runs first, and JCuda names the first parameter that is null.
    for (int i = type.parameterCount() - 1; i >= 0 && binding == Binding.JCUDA; i--) {
      String name = row.nameOf(i);
      if (name != null) {
        Class<?> given = type.parameterType(i);
        String message = "Parameter '" + name + "' is null for " + row.function();
        adapted =
            MethodHandles.filterArguments(
                adapted,
                i,
                MethodHandles.insertArguments(REQUIRE_NAMED, 0, message)
                    .asType(MethodType.methodType(given, given)));
      }
    }
    Class<?> returned = adapted.type().returnType();
    if (returned == void.class && type.returnType() == int.class) {
      return MethodHandles.filterReturnValue(adapted, MethodHandles.constant(int.class, 0));
    }
    if (returned == type.returnType()) {
      return adapted;
    }
    MethodHandle result = ArgumentAdapters.find(binding, returned, type.returnType());
    return result == null ? null : MethodHandles.filterReturnValue(adapted, result);
  }

  private static MethodHandle refusal(String function, String reason, MethodType type) {
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

  /** Refuses a null argument as JCuda does. */
  @SuppressWarnings("unused") // found by its name
  private static Object requireNamed(String message, @Nullable Object argument) {
    if (argument == null) {
      throw new NullPointerException(message);
    }
    return argument;
  }

  /** Refuses a null argument as CUDA does. */
  @SuppressWarnings("unused") // found by its name
  private static Object require(int status, @Nullable Object argument) {
    return CudaError.found(argument, status);
  }

  /** Lets each call print its function, as JCuda does at its most detailed levels. */
  static void trace(boolean on) {
    traced = on;
  }

  /** Begins a call: makes what its row says, and refuses it where it may not be made. */
  @SuppressWarnings("unused") // found by its name
  private static void enter(CallRow row) {
    if (traced && row.handler().startsWith("cu")) {
      System.out.println("Executing " + row.function());
    }
    CudaThread thread = CudaThread.current();
    CudaError.require(!thread.inHostFunction || row.inHostFunction(), CudaError.NOT_PERMITTED);
    row.needs().meet(thread);
    if (!row.safeInCapture()) {
      thread.process.backend.getDevice(0).requireSafeInCapture();
    }
  }

  @SuppressWarnings("unused") // found by its name
  private static int status(CallRow row, RuntimeException thrown) {
    int status = CudaError.statusOf(row.function(), thrown);
    // A status says less than the simulator does, and least of all why a module is refused.
    Level level = thrown instanceof ModuleLoadException ? Level.WARNING : Level.DEBUG;
    LOG.log(level, () -> row.function() + " returns " + status + ": " + thrown.getMessage());
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
