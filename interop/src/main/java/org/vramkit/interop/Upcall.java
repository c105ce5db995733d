package org.vramkit.interop;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Creates C functions that call Java methods. The JVM attaches a native thread as a daemon at its
 * first call, and detaches it when the thread ends.
 */
final class Upcall {
  private Upcall() {}

  /**
   * Creates a C function that calls a method of an object. It stays valid for the life of the JVM.
   *
   * @param lookup a lookup with access to the method
   * @param method the name of the method, which must not throw, because that would terminate the
   *     JVM
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
