package org.vramkit.interop;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Memory of the C library, which any native thread may free. */
final class NativeMemory {
  /** {@code void* malloc(size_t size)}. */
  private static final MethodHandle MALLOC =
      Linker.nativeLinker()
          .downcallHandle(find("malloc"), FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

  /** {@code void free(void* ptr)}. */
  private static final MethodHandle FREE =
      Linker.nativeLinker().downcallHandle(find("free"), FunctionDescriptor.ofVoid(JAVA_LONG));

  /** {@code void deleter(struct DLManagedTensorVersioned* self)}. */
  private static final MethodHandle DELETER =
      Linker.nativeLinker().downcallHandle(FunctionDescriptor.ofVoid(JAVA_LONG));

  private NativeMemory() {}

  private static MemorySegment find(String name) {
    return Linker.nativeLinker()
        .defaultLookup()
        .find(name)
        .orElseThrow(() -> new UnsatisfiedLinkError("the C library has no " + name));
  }

  static long allocate(long bytes) {
    long made;
    try {
      made = (long) MALLOC.invokeExact(bytes);
    } catch (Throwable e) {
      throw unexpected(e);
    }
    if (made == 0) {
      throw new OutOfMemoryError("cannot allocate " + bytes + " bytes of native memory");
    }
    return made;
  }

  static void free(long address) {
    try {
      FREE.invokeExact(address);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static void delete(long deleter, long self) {
    try {
      DELETER.invokeExact(MemorySegment.ofAddress(deleter), self);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static RuntimeException unexpected(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    return thrown instanceof RuntimeException same ? same : new IllegalStateException(thrown);
  }
}
