package org.vramkit.agent;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.annotation.ByVal;
import org.jspecify.annotations.Nullable;

/** Constants of CUDA's headers in JavaCPP's class, and its functions that make structs. */
final class JavaCppValues {
  private static final Map<String, Integer> CONSTANTS =
      StreamSupport.stream(CudaError.lines("constants.txt").spliterator(), false)
          .map(line -> line.split(" ", 2))
          .collect(Collectors.toMap(parts -> parts[0], parts -> Integer.valueOf(parts[1])));

  private static final MethodHandle MAKE;
  private static final MethodHandle REQUIRE;

  static {
    try {
      MethodHandles.Lookup own = MethodHandles.lookup();
      MAKE =
          own.findStatic(
              JavaCppValues.class,
              "make",
              MethodType.methodType(Pointer.class, Class.class, List.class, Object[].class));
      REQUIRE =
          own.findStatic(
              JavaCppValues.class,
              "require",
              MethodType.methodType(Pointer.class, int.class, Pointer.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private JavaCppValues() {}

  /** Returns the handle of a constant or of a function that makes a struct; null for others. */
  static @Nullable MethodHandle find(String name, MethodType type) {
    Class<?> result = type.returnType();
    Integer constant = CONSTANTS.get(name);
    if (constant != null) {
      Object value = result == int.class ? constant : JavaCppStructs.pointer(result, constant);
      return MethodHandles.constant(result, value);
    }
    if (!name.startsWith("make_")
        || !JavaCppStructs.hasLayout(result)
        || JavaCppStructs.fieldsOf(result).size() != type.parameterCount()) {
      return null;
    }
    return MethodHandles.insertArguments(MAKE, 0, result, JavaCppStructs.fieldsOf(result))
        .asCollector(Object[].class, type.parameterCount())
        .asType(type);
  }

  /** Refuses null where C takes a struct by its value, as JavaCPP does. */
  static MethodHandle requireValues(Method function, MethodHandle target) {
    MethodHandle required = target;
    Parameter[] parameters = function.getParameters();
    // The filter that is added last runs first.
    for (int i = parameters.length - 1; i >= 0; i--) {
      if (parameters[i].isAnnotationPresent(ByVal.class)) {
        Class<?> type = parameters[i].getType();
        MethodHandle check = MethodHandles.insertArguments(REQUIRE, 0, i);
        required =
            MethodHandles.filterArguments(
                required, i, check.asType(MethodType.methodType(type, type)));
      }
    }
    return required;
  }

  @SuppressWarnings("unused") // found by its name
  private static Pointer require(int argument, @Nullable Pointer value) {
    if (value == null || value.isNull()) {
      throw new NullPointerException("Pointer address of argument " + argument + " is NULL.");
    }
    return value;
  }

  /** Makes a struct of the values of its fields. */
  @SuppressWarnings("unused") // found by its name
  private static Pointer make(Class<?> type, List<String> fields, Object[] values) {
    Pointer made = JavaCppStructs.allocate(type);
    for (int i = 0; i < values.length; i++) {
      JavaCppStructs.put(made, fields.get(i), values[i]);
    }
    return made;
  }
}
