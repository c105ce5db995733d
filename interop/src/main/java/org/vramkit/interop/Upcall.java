package org.vramkit.interop;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * C functions that call Java methods. The JVM attaches a thread of native code at its first call,
 * as a daemon, and detaches it when the thread ends.
 */
final class Upcall {
  private Upcall() {}

  /**
   * Makes a C function of an object's method, for as long as the JVM lives: native code may call it
   * until the process ends.
   *
   * @param lookup sees the method
   * @param method throws nothing, which would end the JVM
   */
  static MemorySegment bind(
      MethodHandles.Lookup lookup, Object target, String method, FunctionDescriptor descriptor) {
    MethodType type = descriptor.toMethodType();
    try {
      return Linker.nativeLinker()
          .upcallStub(lookup.bind(target, method, type), descriptor, Arena.global());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("no method " + method + type, e);
    }
  }
}
