package org.vramkit.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** The structures of driver calls, with the layout of the driver's header. */
final class Structures {
  /** {@code CU_MEM_ALLOCATION_TYPE_PINNED}. */
  private static final int PINNED = 1;

  /** {@code CU_MEM_LOCATION_TYPE_DEVICE}. */
  private static final int DEVICE = 1;

  /** {@code CU_MEM_ACCESS_FLAGS_PROT_NONE}. */
  private static final int NO_ACCESS = 0;

  /** {@code CU_MEM_ACCESS_FLAGS_PROT_READWRITE}. */
  private static final int READ_AND_WRITE = 3;

  /** {@code CU_MEMCPY_SRC_ACCESS_ORDER_STREAM}. */
  private static final int IN_STREAM_ORDER = 1;

  /** {@code struct CUmemLocation { CUmemLocationType type; int id; }}. */
  private static final StructLayout LOCATION =
      MemoryLayout.structLayout(
          ValueLayout.JAVA_INT.withName("type"), ValueLayout.JAVA_INT.withName("id"));

  /**
   * {@code struct CUmemAllocationProp { CUmemAllocationType type; CUmemAllocationHandleType
   * requestedHandleTypes; CUmemLocation location; void* win32HandleMetaData; struct { unsigned char
   * compressionType; unsigned char gpuDirectRDMACapable; unsigned short usage; unsigned char
   * reserved[4]; } allocFlags; }}.
   */
  static final StructLayout ALLOCATION_PROP =
      MemoryLayout.structLayout(
          ValueLayout.JAVA_INT.withName("type"),
          ValueLayout.JAVA_INT.withName("requestedHandleTypes"),
          LOCATION.withName("location"),
          ValueLayout.JAVA_LONG.withName("win32HandleMetaData"),
          MemoryLayout.sequenceLayout(8, ValueLayout.JAVA_BYTE).withName("allocFlags"));

  /** {@code struct CUmemAccessDesc { CUmemLocation location; CUmemAccess_flags flags; }}. */
  static final StructLayout ACCESS_DESC =
      MemoryLayout.structLayout(
          LOCATION.withName("location"), ValueLayout.JAVA_INT.withName("flags"));

  /**
   * {@code struct CUmemPoolProps { CUmemAllocationType allocType; CUmemAllocationHandleType
   * handleTypes; CUmemLocation location; void* win32SecurityAttributes; size_t maxSize; unsigned
   * short usage; unsigned char reserved[54]; }}; before CUDA 12.2 maxSize was reserved too.
   */
  static final StructLayout POOL_PROPS =
      MemoryLayout.structLayout(
          ValueLayout.JAVA_INT.withName("allocType"),
          ValueLayout.JAVA_INT.withName("handleTypes"),
          LOCATION.withName("location"),
          ValueLayout.JAVA_LONG.withName("win32SecurityAttributes"),
          ValueLayout.JAVA_LONG.withName("maxSize"),
          ValueLayout.JAVA_SHORT.withName("usage"),
          MemoryLayout.sequenceLayout(54, ValueLayout.JAVA_BYTE).withName("reserved"));

  /**
   * {@code struct CUmemcpyAttributes { CUmemcpySrcAccessOrder srcAccessOrder; CUmemLocation
   * srcLocHint; CUmemLocation dstLocHint; unsigned int flags; }}.
   */
  static final StructLayout COPY_ATTRIBUTES =
      MemoryLayout.structLayout(
          ValueLayout.JAVA_INT.withName("srcAccessOrder"),
          LOCATION.withName("srcLocHint"),
          LOCATION.withName("dstLocHint"),
          ValueLayout.JAVA_INT.withName("flags"));

  private static final VarHandle PROP_TYPE = field(ALLOCATION_PROP, "type");
  private static final VarHandle COPY_ORDER = field(COPY_ATTRIBUTES, "srcAccessOrder");
  private static final VarHandle PROP_WHERE = field(ALLOCATION_PROP, "location", "type");
  private static final VarHandle PROP_DEVICE = field(ALLOCATION_PROP, "location", "id");
  private static final VarHandle ACCESS_WHERE = field(ACCESS_DESC, "location", "type");
  private static final VarHandle ACCESS_DEVICE = field(ACCESS_DESC, "location", "id");
  private static final VarHandle ACCESS_FLAGS = field(ACCESS_DESC, "flags");
  private static final VarHandle POOL_TYPE = field(POOL_PROPS, "allocType");
  private static final VarHandle POOL_WHERE = field(POOL_PROPS, "location", "type");
  private static final VarHandle POOL_DEVICE = field(POOL_PROPS, "location", "id");
  private static final VarHandle POOL_MAXIMUM = field(POOL_PROPS, "maxSize");

  private Structures() {}

  private static VarHandle field(StructLayout layout, String... path) {
    PathElement[] elements = new PathElement[path.length];
    for (int i = 0; i < path.length; i++) {
      elements[i] = PathElement.groupElement(path[i]);
    }
    return layout.varHandle(elements);
  }

  /** Describes device memory that is not shared with other processes. */
  static MemorySegment memoryOf(int ordinal, Arena arena) {
    MemorySegment made = arena.allocate(ALLOCATION_PROP);
    PROP_TYPE.set(made, 0L, PINNED);
    PROP_WHERE.set(made, 0L, DEVICE);
    PROP_DEVICE.set(made, 0L, ordinal);
    return made;
  }

  /** Describes the access of a device. */
  static MemorySegment accessOf(int ordinal, boolean allowed, Arena arena) {
    MemorySegment made = arena.allocate(ACCESS_DESC);
    ACCESS_WHERE.set(made, 0L, DEVICE);
    ACCESS_DEVICE.set(made, 0L, ordinal);
    ACCESS_FLAGS.set(made, 0L, allowed ? READ_AND_WRITE : NO_ACCESS);
    return made;
  }

  /** Describes the access of several devices, one behind the other. */
  static MemorySegment accessOf(int[] ordinals, boolean allowed, Arena arena) {
    MemorySegment made = arena.allocate(ACCESS_DESC, ordinals.length);
    for (int i = 0; i < ordinals.length; i++) {
      long at = i * ACCESS_DESC.byteSize();
      ACCESS_WHERE.set(made, at, DEVICE);
      ACCESS_DEVICE.set(made, at, ordinals[i]);
      ACCESS_FLAGS.set(made, at, allowed ? READ_AND_WRITE : NO_ACCESS);
    }
    return made;
  }

  /** Describes a pool of device memory; a maximum of 0 means no limit. */
  static MemorySegment poolOf(int ordinal, long maximumBytes, Arena arena) {
    MemorySegment made = arena.allocate(POOL_PROPS);
    POOL_TYPE.set(made, 0L, PINNED);
    POOL_WHERE.set(made, 0L, DEVICE);
    POOL_DEVICE.set(made, 0L, ordinal);
    POOL_MAXIMUM.set(made, 0L, maximumBytes);
    return made;
  }

  /** Describes copies that read their sources in stream order. */
  static MemorySegment copiesInStreamOrder(Arena arena) {
    MemorySegment made = arena.allocate(COPY_ATTRIBUTES);
    COPY_ORDER.set(made, 0L, IN_STREAM_ORDER);
    return made;
  }
}
