package org.vramkit.ffm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Descriptors of all native functions that are called. A native image must know them at build time,
 * so {@code reachability-metadata.json} lists them too.
 */
enum Downcall {
  // The driver's functions by parameters, in the notation of Call.
  NONE(FunctionDescriptor.of(JAVA_INT)),
  I(FunctionDescriptor.of(JAVA_INT, JAVA_INT)),
  L(FunctionDescriptor.of(JAVA_INT, JAVA_LONG)),
  LI(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT)),
  IL(FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG)),
  LII(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT)),
  LL(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG)),
  LLI(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT)),
  LLL(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG)),
  LIL(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG)),
  LBLL(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_BYTE, JAVA_LONG, JAVA_LONG)),
  LLLL(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG)),
  LLLLL(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG)),
  LLILL(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG)),
  LLIL(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG)),
  LLLLLI(
      FunctionDescriptor.of(
          JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT)),
  LLLLLLLLL(
      FunctionDescriptor.of(
          JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
          JAVA_LONG, JAVA_LONG)),
  LIIIIIIILLL(
      FunctionDescriptor.of(
          JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT,
          JAVA_LONG, JAVA_LONG, JAVA_LONG)),
  /** {@link #L} as a critical call, for a function that returns at once. */
  QUESTION(FunctionDescriptor.of(JAVA_INT, JAVA_LONG), /* critical= */ true),

  /** {@code void* dlopen(const char* filename, int flags)}. */
  OPEN_LIBRARY(FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT)),

  /** {@code char* dlerror(void)}. */
  LAST_ERROR(FunctionDescriptor.of(ADDRESS)),

  /** {@code void* mmap(void* addr, size_t length, int prot, int flags, int fd, off_t offset)}. */
  MAP(
      FunctionDescriptor.of(
          JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG)),

  /** {@code nvtxMemHeapHandle_t (nvtxDomainHandle_t domain, nvtxMemHeapDesc_t const* desc)}. */
  REGISTER_HEAP(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG)),

  /** {@code void (nvtxDomainHandle_t domain, void const* what)}, for all other NVTX functions. */
  NVTX_CALL(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));

  @SuppressWarnings("ImmutableEnumChecker") // a value-based class without the annotation
  final FunctionDescriptor descriptor;

  final boolean critical;

  Downcall(FunctionDescriptor descriptor) {
    this(descriptor, /* critical= */ false);
  }

  Downcall(FunctionDescriptor descriptor, boolean critical) {
    this.descriptor = descriptor;
    this.critical = critical;
  }

  private Linker.Option[] options() {
    return critical ? new Linker.Option[] {Linker.Option.critical(false)} : new Linker.Option[0];
  }

  /** Returns a handle that takes the function as its first argument; keep it in a constant. */
  MethodHandle handle() {
    return Linker.nativeLinker().downcallHandle(descriptor, options());
  }

  /** Returns a handle for one function. */
  MethodHandle handle(MemorySegment function) {
    return Linker.nativeLinker().downcallHandle(function, descriptor, options());
  }
}
