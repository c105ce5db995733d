package org.vramkit.interop;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.vramkit.cuda.CLibrary;

/**
 * The C library that allocates from a {@link NativeAllocator}; built once, if the machine has a
 * compiler.
 */
final class Consumer {
  private static @Nullable Consumer built;

  private final SymbolLookup library;
  private final MethodHandle pairs;
  private final MethodHandle many;
  private final MethodHandle allocateOn;
  private final MethodHandle freeOn;
  private final MethodHandle recordUse;
  private final MethodHandle consume;
  private final MethodHandle getDeleted;
  private final MethodHandle produce;

  private Consumer(SymbolLookup library) {
    this.library = library;
    this.pairs =
        function(
            "pairs",
            FunctionDescriptor.of(JAVA_DOUBLE, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    this.many = function("many", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    this.allocateOn =
        function(
            "allocate_on",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
    this.freeOn =
        function(
            "free_on",
            FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
    this.recordUse =
        function("record_use", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_LONG));
    this.consume = function("consume", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    this.getDeleted = function("get_deleted", FunctionDescriptor.of(JAVA_LONG));
    this.produce =
        function(
            "produce", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
  }

  private MethodHandle function(String name, FunctionDescriptor descriptor) {
    return Linker.nativeLinker().downcallHandle(library.find(name).orElseThrow(), descriptor);
  }

  /** Returns the library; skips the test if there is no compiler. */
  static synchronized Consumer get() throws IOException, InterruptedException {
    Consumer known = built;
    if (known != null) {
      return known;
    }
    Path folder = Files.createTempDirectory("vramkit-consumer");
    Path library = CLibrary.build("consumer.c", folder.resolve("libconsumer.so"));
    known = new Consumer(SymbolLookup.libraryLookup(library, Arena.global()));
    built = known;
    return known;
  }

  double pairs(MemorySegment allocate, MemorySegment free, long bytes, long count)
      throws Throwable {
    return (double) pairs.invokeExact(allocate.address(), free.address(), bytes, count);
  }

  long many(MemorySegment allocate, MemorySegment free, long count) throws Throwable {
    return (long) many.invokeExact(allocate.address(), free.address(), count);
  }

  long allocateOn(MemorySegment allocate, long bytes, int device, long stream) throws Throwable {
    return (long) allocateOn.invokeExact(allocate.address(), bytes, device, stream);
  }

  void freeOn(MemorySegment free, long memory, long bytes, int device, long stream)
      throws Throwable {
    freeOn.invokeExact(free.address(), memory, bytes, device, stream);
  }

  void recordUse(MemorySegment record, long memory, long stream) throws Throwable {
    recordUse.invokeExact(record.address(), memory, stream);
  }

  long consume(MemorySegment tensor) throws Throwable {
    return (long) consume.invokeExact(tensor.address());
  }

  long getDeleted() throws Throwable {
    return (long) getDeleted.invokeExact();
  }

  MemorySegment produce(long data, int device, long rows, long columns) throws Throwable {
    return MemorySegment.ofAddress((long) produce.invokeExact(data, device, rows, columns));
  }
}
