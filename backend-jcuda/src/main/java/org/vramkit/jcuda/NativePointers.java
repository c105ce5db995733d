package org.vramkit.jcuda;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import jcuda.NativePointerObject;
import jcuda.Pointer;

/**
 * Reads addresses out of JCuda's objects, which it keeps to itself. Its classes are open to
 * reflection, as it is no named module; done only when a handle is made, other than the current
 * context's.
 */
final class NativePointers {
  private static final Method NATIVE_POINTER = open(NativePointerObject.class, "getNativePointer");
  private static final Method BYTE_OFFSET = open(Pointer.class, "getByteOffset");

  private NativePointers() {}

  private static Method open(Class<?> type, String name) {
    try {
      Method method = type.getDeclaredMethod(name);
      method.setAccessible(true);
      return method;
    } catch (NoSuchMethodException e) {
      throw new LinkageError("this JCuda has no " + type.getSimpleName() + "." + name + "()", e);
    }
  }

  static long addressOf(NativePointerObject object) {
    long base = call(NATIVE_POINTER, object);
    return object instanceof Pointer ? base + call(BYTE_OFFSET, object) : base;
  }

  private static long call(Method method, Object object) {
    try {
      return (long) method.invoke(object);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new LinkageError("cannot read the address of " + object, e);
    }
  }
}
