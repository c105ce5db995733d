package org.vramkit.jcuda;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import jcuda.NativePointerObject;
import jcuda.Pointer;
import jcuda.driver.CUstream;

/**
 * Reads and writes the private addresses of JCuda's objects by reflection, which is possible
 * because JCuda is not a named module. Used only when a handle is created, not for the current
 * context.
 */
final class NativePointers {
  private static final Method NATIVE_POINTER = open(NativePointerObject.class, "getNativePointer");
  private static final Method BYTE_OFFSET = open(Pointer.class, "getByteOffset");

  private static final Constructor<CUstream> STREAM = openStream();

  private NativePointers() {}

  private static Constructor<CUstream> openStream() {
    try {
      Constructor<CUstream> constructor = CUstream.class.getDeclaredConstructor(long.class);
      constructor.setAccessible(true);
      return constructor;
    } catch (NoSuchMethodException e) {
      throw new LinkageError("this JCuda has no CUstream(long)", e);
    }
  }

  private static Method open(Class<?> type, String name) {
    try {
      Method method = type.getDeclaredMethod(name);
      method.setAccessible(true);
      return method;
    } catch (NoSuchMethodException e) {
      throw new LinkageError("this JCuda has no " + type.getSimpleName() + "." + name + "()", e);
    }
  }

  /** Creates a stream object for a handle that JCuda did not create. */
  static CUstream stream(long address) {
    try {
      return STREAM.newInstance(address);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("cannot make a CUstream of an address", e);
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
