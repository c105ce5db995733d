package org.vramkit.agent;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Refers to memory as a pointer of a program does: by an address, which is the same for the host
 * and for devices, or memory of the host with known bounds, such as an array.
 *
 * @param address 0 for null, and for an array, which the JVM moves
 * @param memory the memory with bounds; null if there is only an address
 * @param offset of the pointer in that memory
 */
record CudaPointer(long address, @Nullable HostMemory memory, long offset) {
  static final CudaPointer NULL = at(0);

  /** Bytes that are read at a time, to find the end of a text. */
  private static final int PAGE = 4096;

  static CudaPointer at(long address) {
    return new CudaPointer(address, null, 0);
  }

  /** Returns a pointer to values that the host only reads. */
  static CudaPointer to(long... values) {
    ByteBuffer bytes =
        ByteBuffer.allocate(values.length * Long.BYTES).order(ByteOrder.nativeOrder());
    bytes.asLongBuffer().put(values);
    return new CudaPointer(0, new ArrayBytes(bytes.array()), 0);
  }

  boolean isNull() {
    return address == 0 && memory == null;
  }

  /** Returns this pointer some bytes further. */
  CudaPointer plus(long bytes) {
    return new CudaPointer(address == 0 ? 0 : address + bytes, memory, offset + bytes);
  }

  /**
   * Returns bytes from the pointer on.
   *
   * @throws IllegalArgumentException if there are fewer; a driver would read what follows
   * @throws CudaError if the address is not one of the host, which a driver does not check
   */
  ByteBuffer read(int bytes) {
    if (memory == null) {
      return DirectMemory.checkedView(address, bytes);
    }
    requireInside(memory, bytes);
    return memory.read((int) offset, bytes);
  }

  /** Writes bytes from the pointer on; throws as {@link #read}. */
  void write(ByteBuffer bytes) {
    if (memory == null) {
      read(bytes.remaining()).put(bytes.duplicate());
    } else {
      requireInside(memory, bytes.remaining());
      memory.write((int) offset, bytes.duplicate());
    }
  }

  void write(long value) {
    write(ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(0, value));
  }

  void write(int value) {
    write(ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder()).putInt(0, value));
  }

  int readInt() {
    return read(Integer.BYTES).order(ByteOrder.nativeOrder()).getInt();
  }

  long readLong() {
    return read(Long.BYTES).order(ByteOrder.nativeOrder()).getLong();
  }

  private void requireInside(HostMemory in, long bytes) {
    if (offset < 0 || bytes > in.size() - offset) {
      throw new IllegalArgumentException(
          bytes
              + " bytes from byte "
              + offset
              + " are not inside an array or buffer of "
              + in.size()
              + " bytes; native code would access what follows in memory");
    }
  }

  /** Returns the bytes of a text, which ends before its first zero or with its memory. */
  byte[] text() {
    byte[] text = new byte[0];
    CudaPointer from = this;
    while (true) {
      long left =
          memory == null ? PAGE - from.address % PAGE : Math.max(0, memory.size() - from.offset);
      ByteBuffer part = from.read(Math.toIntExact(left));
      int length = 0;
      while (length < left && part.get(part.position() + length) != 0) {
        length++;
      }
      int known = text.length;
      text = Arrays.copyOf(text, known + length);
      part.get(text, known, length);
      if (length < left || memory != null) {
        return text;
      }
      from = from.plus(left);
    }
  }
}
