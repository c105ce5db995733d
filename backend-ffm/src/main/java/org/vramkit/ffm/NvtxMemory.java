package org.vramkit.ffm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * NVTX's memory extension, which reports blocks within driver allocations to a tool such as
 * compute-sanitizer. The tool's library fills a table with functions; missing ones are not called.
 * Structures begin with a version and their size, and are defined in {@code nvToolsExtMem.h}. Not
 * thread-safe.
 */
final class NvtxMemory {
  /** {@code NVTX_EXT_COMPATID_MEM}. */
  private static final short COMPATIBLE = 0x0102;

  private static final short NVTX_VERSION = 3;
  private static final short MODULE = 1;

  /** The number of the table's segment with the called functions; the others are left empty. */
  private static final int SEGMENT = 1;

  /** {@code NVTX_EXT_MEM_SLOT_COUNT}; the table has the length of the newest header. */
  private static final int SLOTS = 63;

  /** {@code NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR}. */
  private static final int SUB_ALLOCATOR = 1;

  /** The type of heaps, regions and references that are identified by addresses. */
  private static final int ADDRESS = 1;

  /** {@code NVTX_MESSAGE_TYPE_ASCII}. */
  private static final int ASCII = 1;

  private static final MethodHandle REGISTER_HEAP = Downcall.REGISTER_HEAP.handle();
  private static final MethodHandle NVTX_CALL = Downcall.NVTX_CALL.handle();

  /** The called functions by their index in the table: {@code NVTX3EXT_CBID_nvtxMem}. */
  private enum Slot {
    HEAP_REGISTER(0),
    HEAP_UNREGISTER(1),
    REGIONS_REGISTER(3),
    REGIONS_UNREGISTER(5),
    REGIONS_NAME(6);

    final int place;

    Slot(int place) {
      this.place = place;
    }
  }

  private final MemorySegment slots;

  private NvtxMemory(MemorySegment slots) {
    this.slots = slots;
  }

  /**
   * Initializes a tool's library; returns null if the tool does not track blocks, such as a
   * profiler. CUDA must be initialized before.
   */
  static @Nullable NvtxMemory attach(SymbolLookup tool) {
    MemorySegment initialize = tool.find("InitializeInjectionNvtxExtension").orElse(null);
    if (initialize == null) {
      return null;
    }
    // The tool keeps the table and may keep pointers to it.
    Arena arena = Arena.global();
    MemorySegment slots = arena.allocate(JAVA_LONG, SLOTS);
    MemorySegment segment = arena.allocate(JAVA_LONG, 3);
    segment.setAtIndex(JAVA_LONG, 0, SEGMENT);
    segment.setAtIndex(JAVA_LONG, 1, SLOTS);
    segment.setAtIndex(JAVA_LONG, 2, slots.address());
    MemorySegment module = described(arena, 40);
    module.set(JAVA_SHORT, 0, NVTX_VERSION);
    module.set(JAVA_SHORT, 4, MODULE);
    module.set(JAVA_SHORT, 6, COMPATIBLE);
    module.set(JAVA_LONG, 8, 1);
    module.set(JAVA_LONG, 16, segment.address());
    try {
      // int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t* moduleInfo)
      MethodHandle call = Downcall.L.handle(initialize);
      boolean listens = (int) call.invokeExact(module.address()) != 0;
      NvtxMemory attached = new NvtxMemory(slots);
      return listens && attached.knowsBlocks() ? attached : null;
    } catch (Throwable e) {
      throw Call.unexpected(e);
    }
  }

  private boolean knowsBlocks() {
    return function(Slot.HEAP_REGISTER) != null
        && function(Slot.REGIONS_REGISTER) != null
        && function(Slot.REGIONS_UNREGISTER) != null;
  }

  /** Allocates a zeroed structure with its size set. */
  private static MemorySegment described(Arena arena, int bytes) {
    MemorySegment made = arena.allocate(bytes, Long.BYTES);
    made.set(JAVA_SHORT, 0, COMPATIBLE);
    made.set(JAVA_SHORT, 2, (short) bytes);
    return made;
  }

  private @Nullable MemorySegment function(Slot slot) {
    long address = slots.getAtIndex(JAVA_LONG, slot.place);
    return address == 0 ? null : MemorySegment.ofAddress(address);
  }

  /** Calls a function of the tool; does nothing if the tool lacks it. */
  private void call(Slot slot, long what) {
    MemorySegment function = function(slot);
    if (function == null) {
      return;
    }
    try {
      NVTX_CALL.invokeExact(function, 0L, what);
    } catch (Throwable e) {
      throw Call.unexpected(e);
    }
  }

  /** Registers a heap, {@code nvtxMemHeapDesc_t}; returns 0 if the tool refuses. */
  long registerHeap(long address, long bytes) {
    MemorySegment function = function(Slot.HEAP_REGISTER);
    if (function == null) {
      return 0;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment heap = described(arena, 48);
      heap.set(JAVA_INT, 8, SUB_ALLOCATOR);
      heap.set(JAVA_INT, 12, ADDRESS);
      heap.set(JAVA_LONG, 16, 2 * Long.BYTES);
      heap.set(JAVA_LONG, 24, range(arena, address, bytes).address());
      heap.set(JAVA_INT, 36, ASCII);
      heap.set(JAVA_LONG, 40, arena.allocateFrom("Vramkit").address());
      return (long) REGISTER_HEAP.invokeExact(function, 0L, heap.address());
    } catch (Throwable e) {
      throw Call.unexpected(e);
    }
  }

  /** Allocates a {@code nvtxMemVirtualRangeDesc_t}. */
  private static MemorySegment range(Arena arena, long address, long bytes) {
    MemorySegment range = arena.allocate(JAVA_LONG, 2);
    range.setAtIndex(JAVA_LONG, 0, bytes);
    range.setAtIndex(JAVA_LONG, 1, address);
    return range;
  }

  /** Unregisters a heap with all of its regions. */
  void unregisterHeap(long heap) {
    call(Slot.HEAP_UNREGISTER, heap);
  }

  /** Registers a block that may be used from now on, {@code nvtxMemRegionsRegisterBatch_t}. */
  void registerRegion(long heap, long address, long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment batch = described(arena, 48);
      batch.set(JAVA_INT, 4, ADDRESS);
      batch.set(JAVA_LONG, 8, heap);
      batch.set(JAVA_LONG, 16, 1);
      batch.set(JAVA_LONG, 24, 2 * Long.BYTES);
      batch.set(JAVA_LONG, 32, range(arena, address, bytes).address());
      call(Slot.REGIONS_REGISTER, batch.address());
    }
  }

  /** Unregisters a block that must no longer be used, {@code nvtxMemRegionsUnregisterBatch_t}. */
  void unregisterRegion(long address) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment batch = described(arena, 32);
      batch.set(JAVA_INT, 4, ADDRESS);
      batch.set(JAVA_LONG, 8, 1);
      batch.set(JAVA_LONG, 16, Long.BYTES);
      batch.set(JAVA_LONG, 24, arena.allocateFrom(JAVA_LONG, address).address());
      call(Slot.REGIONS_UNREGISTER, batch.address());
    }
  }

  /** Names a block for the tool's reports, {@code nvtxMemRegionsNameBatch_t}. */
  void name(long address, String name) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment one = arena.allocate(32, Long.BYTES);
      one.set(JAVA_INT, 0, ADDRESS);
      one.set(JAVA_INT, 4, ASCII);
      one.set(JAVA_LONG, 8, address);
      one.set(JAVA_LONG, 16, arena.allocateFrom(name).address());
      MemorySegment batch = described(arena, 40);
      batch.set(JAVA_LONG, 8, 1);
      batch.set(JAVA_LONG, 16, 32);
      batch.set(JAVA_LONG, 24, one.address());
      call(Slot.REGIONS_NAME, batch.address());
    }
  }
}
