package org.vramkit.agent;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.Binding;

/** Finds the methods that turn arguments of a binding into those of handlers. */
final class ArgumentAdapters {
  private static final MethodHandles.Lookup OWN = MethodHandles.lookup();

  private ArgumentAdapters() {}

  private static Class<?> classOf(Binding binding) {
    return switch (binding) {
      case JCUDA -> JCudaArguments.class;
      case JAVACPP -> JavaCppArguments.class;
    };
  }

  /** Returns a handle from one type to the other; null if there is none. */
  static @Nullable MethodHandle find(Binding binding, Class<?> given, Class<?> wanted)
      throws ReflectiveOperationException {
    if (given == wanted || given.isPrimitive() || wanted == Object.class) {
      MethodHandle same = MethodHandles.identity(wanted);
      return given.isPrimitive() == wanted.isPrimitive()
          ? same.asType(MethodType.methodType(wanted, given))
          : null;
    }
    Method best = null;
    for (Method each : classOf(binding).getDeclaredMethods()) {
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
    return best == null
        ? null
        : MethodHandles.privateLookupIn(best.getDeclaringClass(), OWN)
            .unreflect(best)
            .asType(MethodType.methodType(wanted, given));
  }
}
