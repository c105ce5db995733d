package org.vramkit.agent;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.Binding;

/** Finds the methods that turn arguments of a binding into those of handlers. */
final class ArgumentAdapters {
  private static final MethodHandles.Lookup OWN = MethodHandles.lookup();

  private ArgumentAdapters() {}

  /** Returns the adapters of a binding; a class whose types the program's JCuda lacks has none. */
  private static List<Method> of(Binding binding) {
    if (binding == Binding.JAVACPP) {
      return List.of(JavaCppArguments.class.getDeclaredMethods());
    }
    List<Method> adapters = new ArrayList<>(List.of(JCudaArguments.class.getDeclaredMethods()));
    try {
      adapters.addAll(List.of(JCudaHostFunctions.class.getDeclaredMethods()));
    } catch (NoClassDefFoundError e) {
      // JCuda before version 10, where no method takes a host function.
    }
    return adapters;
  }

  /** Returns a handle from one type to the other; null if there is none. */
  static @Nullable MethodHandle find(Binding binding, Class<?> given, Class<?> wanted)
      throws ReflectiveOperationException {
    if (given.isPrimitive() || wanted == Object.class) {
      return given.isPrimitive() == wanted.isPrimitive() ? same(given, wanted) : null;
    }
    Method best = null;
    for (Method each : of(binding)) {
      boolean fits =
          !Modifier.isPrivate(each.getModifiers())
              && each.getReturnType() == wanted
              && each.getParameterCount() == 1
              && !each.isSynthetic()
              && each.getParameterTypes()[0].isAssignableFrom(given);
      if (fits
          && (best == null
              || best.getParameterTypes()[0].isAssignableFrom(each.getParameterTypes()[0]))) {
        best = each;
      }
    }
    if (best == null) {
      return given == wanted ? same(given, wanted) : null;
    }
    return MethodHandles.privateLookupIn(best.getDeclaringClass(), OWN)
        .unreflect(best)
        .asType(MethodType.methodType(wanted, given));
  }

  private static MethodHandle same(Class<?> given, Class<?> wanted) {
    return MethodHandles.identity(wanted).asType(MethodType.methodType(wanted, given));
  }
}
