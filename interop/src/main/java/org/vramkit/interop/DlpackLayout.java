package org.vramkit.interop;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/**
 * The byte offsets of the members of {@code struct DLManagedTensorVersioned} of DLPack 1. Its last
 * member is {@code struct DLTensor}.
 */
final class DlpackLayout {
  /** {@code DLPackVersion version}: {@code uint32_t major, minor}. */
  static final long MAJOR = 0;

  static final long MINOR = 4;

  /** {@code void* manager_ctx}. */
  static final long CONTEXT = 8;

  /** {@code void (*deleter)(struct DLManagedTensorVersioned* self)}. */
  static final long DELETER = 16;

  /** {@code uint64_t flags}. */
  static final long FLAGS = 24;

  /** {@code void* data}. */
  static final long DATA = 32;

  /** {@code DLDevice device}: {@code int32_t device_type, device_id}. */
  static final long DEVICE_TYPE = 40;

  static final long DEVICE_ID = 44;

  /** {@code int32_t ndim}. */
  static final long DIMENSIONS = 48;

  /** {@code DLDataType dtype}: {@code uint8_t code, bits; uint16_t lanes}. */
  static final long TYPE_CODE = 52;

  static final long TYPE_BITS = 53;
  static final long TYPE_LANES = 54;

  /** {@code int64_t* shape}. */
  static final long SHAPE = 56;

  /** {@code int64_t* strides}, in elements; may be null if the tensor is contiguous. */
  static final long STRIDES = 64;

  /** {@code uint64_t byte_offset}. */
  static final long BYTE_OFFSET = 72;

  /** The size of the structure. */
  static final long BYTES = 80;

  /** {@code kDLCUDA}. */
  static final int CUDA = 2;

  /** {@code kDLCUDAManaged}. */
  static final int CUDA_MANAGED = 13;

  /** {@code DLPACK_FLAG_BITMASK_READ_ONLY}. */
  static final long READ_ONLY = 1;

  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private DlpackLayout() {}

  static long getLong(long address) {
    return ALL.get(JAVA_LONG, address);
  }

  static void putLong(long address, long value) {
    ALL.set(JAVA_LONG, address, value);
  }

  static int getInt(long address) {
    return ALL.get(JAVA_INT, address);
  }

  static void putInt(long address, int value) {
    ALL.set(JAVA_INT, address, value);
  }

  static int getByte(long address) {
    return Byte.toUnsignedInt(ALL.get(JAVA_BYTE, address));
  }

  static void putByte(long address, int value) {
    ALL.set(JAVA_BYTE, address, (byte) value);
  }

  static int getShort(long address) {
    return Short.toUnsignedInt(ALL.get(JAVA_SHORT, address));
  }

  static void putShort(long address, int value) {
    ALL.set(JAVA_SHORT, address, (short) value);
  }
}
