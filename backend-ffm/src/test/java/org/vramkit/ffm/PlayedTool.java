package org.vramkit.ffm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntSupplier;

/**
 * A tool with NVTX's memory extension, such as compute-sanitizer: native functions that call back
 * into Java and read the structures as in C. It tracks the reported regions, and records
 * contradictions.
 */
final class PlayedTool implements SymbolLookup {
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  /** Bytes of each region by its address. */
  final TreeMap<Long, Long> regions = new TreeMap<>();

  final Map<Long, String> names = new TreeMap<>();

  /** Bytes of each heap by its address, which is its handle as well. */
  final TreeMap<Long, Long> heaps = new TreeMap<>();

  /** Violations of the extension's rules. */
  final List<String> faults = new ArrayList<>();

  private final boolean knowsExtension;
  private final IntSupplier currentOrdinal;
  private final MemorySegment initialize;

  /**
   * Creates the tool.
   *
   * @param currentOrdinal returns the ordinal of the context that is current on the calling thread;
   *     -1 for none
   */
  PlayedTool(boolean knowsExtension, IntSupplier currentOrdinal) {
    this.knowsExtension = knowsExtension;
    this.currentOrdinal = currentOrdinal;
    this.initialize = stub("initialize", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
  }

  private MemorySegment stub(String name, FunctionDescriptor descriptor) {
    try {
      MethodHandle target = MethodHandles.lookup().bind(this, name, descriptor.toMethodType());
      return Linker.nativeLinker().upcallStub(target, descriptor, Arena.global());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("cannot play " + name, e);
    }
  }

  @Override
  public Optional<MemorySegment> find(String name) {
    return name.equals("InitializeInjectionNvtxExtension")
        ? Optional.of(initialize)
        : Optional.empty();
  }

  private void require(boolean holds, String what) {
    if (!holds) {
      faults.add(what);
    }
  }

  private static int shortAt(long address) {
    return ALL.get(JAVA_SHORT, address);
  }

  private static int intAt(long address) {
    return ALL.get(JAVA_INT, address);
  }

  private static long longAt(long address) {
    return ALL.get(JAVA_LONG, address);
  }

  private void requireHead(long structure, int bytes) {
    require(currentOrdinal.getAsInt() >= 0, "no context is current");
    require(shortAt(structure) == 0x0102, "version");
    require(shortAt(structure + 2) == bytes, "size " + shortAt(structure + 2));
  }

  int initialize(long module) {
    require(shortAt(module) == 3 && shortAt(module + 2) == 40, "module");
    require(shortAt(module + 4) == 1 && shortAt(module + 6) == 0x0102, "module");
    require(longAt(module + 8) == 1, "one segment");
    long segment = longAt(module + 16);
    require(longAt(segment) == 1 && longAt(segment + 8) == 63, "slots");
    if (!knowsExtension) {
      // Like a profiler, which uses other extensions.
      return 1;
    }
    FunctionDescriptor telling = FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG);
    put(segment, 0, stub("heapRegister", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG)));
    put(segment, 1, stub("heapUnregister", telling));
    put(segment, 3, stub("regionsRegister", telling));
    put(segment, 5, stub("regionsUnregister", telling));
    put(segment, 6, stub("regionsName", telling));
    return 1;
  }

  private static void put(long segment, int slot, MemorySegment function) {
    ALL.set(JAVA_LONG, longAt(segment + 16) + (long) Long.BYTES * slot, function.address());
  }

  long heapRegister(long domain, long heap) {
    requireHead(heap, 48);
    require(domain == 0 && intAt(heap + 8) == 1 && intAt(heap + 12) == 1, "sub-allocator");
    require(longAt(heap + 16) == 16 && intAt(heap + 36) == 1, "range and name");
    require(ALL.getString(longAt(heap + 40)).equals("Vramkit"), "name");
    long range = longAt(heap + 24);
    require(heaps.put(longAt(range + 8), longAt(range)) == null, "a heap twice");
    return longAt(range + 8);
  }

  void heapUnregister(long domain, long heap) {
    require(heaps.remove(heap) != null, "no heap " + heap);
  }

  void regionsRegister(long domain, long batch) {
    requireHead(batch, 48);
    require(intAt(batch + 4) == 1 && longAt(batch + 16) == 1, "one region");
    require(longAt(batch + 24) == 16 && longAt(batch + 40) == 0, "region");
    long bytes = longAt(longAt(batch + 32));
    long address = longAt(longAt(batch + 32) + 8);
    long heap = longAt(batch + 8);
    Long size = heaps.get(heap);
    require(
        size != null && address >= heap && address + bytes <= heap + size, "outside of its heap");
    Map.Entry<Long, Long> before = regions.lowerEntry(address + bytes);
    require(before == null || before.getKey() + before.getValue() <= address, "two have one byte");
    regions.put(address, bytes);
  }

  void regionsUnregister(long domain, long batch) {
    requireHead(batch, 32);
    require(intAt(batch + 4) == 1 && longAt(batch + 8) == 1, "one pointer");
    require(longAt(batch + 16) == 8, "pointer");
    long address = longAt(longAt(batch + 24));
    require(regions.remove(address) != null, "no region at " + address);
    names.remove(address);
  }

  void regionsName(long domain, long batch) {
    requireHead(batch, 40);
    require(longAt(batch + 8) == 1 && longAt(batch + 16) == 32, "one name");
    long one = longAt(batch + 24);
    require(intAt(one) == 1 && intAt(one + 4) == 1, "pointer and text");
    require(regions.containsKey(longAt(one + 8)), "no region to name");
    names.put(longAt(one + 8), ALL.getString(longAt(one + 16)));
  }
}
