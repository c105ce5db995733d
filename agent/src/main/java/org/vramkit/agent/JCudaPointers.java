package org.vramkit.agent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import jcuda.NativePointerObject;
import jcuda.Pointer;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.CudaCopies.Side;
import org.vramkit.agent.CudaMemory.Block;

/**
 * JCuda's pointers and handles. A pointer refers to an address, to a buffer, which may wrap an
 * array, or to a list of other pointers, each with an offset in bytes.
 */
final class JCudaPointers {
  private static final VarHandle ADDRESS;
  private static final VarHandle OFFSET;
  private static final VarHandle BUFFER;
  private static final VarHandle POINTERS;

  static {
    try {
      MethodHandles.Lookup handles =
          MethodHandles.privateLookupIn(NativePointerObject.class, MethodHandles.lookup());
      MethodHandles.Lookup pointers =
          MethodHandles.privateLookupIn(Pointer.class, MethodHandles.lookup());
      ADDRESS = handles.findVarHandle(NativePointerObject.class, "nativePointer", long.class);
      OFFSET = pointers.findVarHandle(Pointer.class, "byteOffset", long.class);
      BUFFER = pointers.findVarHandle(Pointer.class, "buffer", Buffer.class);
      POINTERS = pointers.findVarHandle(Pointer.class, "pointers", NativePointerObject[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private JCudaPointers() {}

  /** Refuses a null argument as JCuda does. */
  static void requireNonNull(@Nullable Object argument, String parameter, String function) {
    if (argument == null) {
      throw new NullPointerException("Parameter '" + parameter + "' is null for " + function);
    }
  }

  /** Returns a handle, or an address without its offset; 0 for null. */
  static long handleOf(@Nullable NativePointerObject object) {
    return object == null ? 0 : (long) ADDRESS.get(object);
  }

  static void set(NativePointerObject object, long value) {
    ADDRESS.set(object, value);
    if (object instanceof Pointer pointer) {
      OFFSET.set(pointer, 0L);
    }
  }

  /** Lets a pointer refer to memory of the host. */
  static void set(Pointer pointer, ByteBuffer buffer) {
    BUFFER.set(pointer, buffer);
    set((NativePointerObject) pointer, 0L);
  }

  /** Returns the address of memory of a device. */
  static long addressOf(Pointer pointer) {
    return handleOf(pointer) + (long) OFFSET.get(pointer);
  }

  private static @Nullable Buffer bufferOf(Pointer pointer) {
    return (Buffer) BUFFER.get(pointer);
  }

  static NativePointerObject @Nullable [] listOf(Pointer pointer) {
    return (NativePointerObject[]) POINTERS.get(pointer);
  }

  static long offsetOf(Pointer pointer) {
    return (long) OFFSET.get(pointer);
  }

  /** Returns an address that means the same on the host and on devices, where there is one. */
  static long unifiedAddressOf(Pointer pointer) {
    return valueOf(pointer);
  }

  /** Returns the address of memory of the host; 0 if it has none that lasts. */
  static long hostAddressOf(Pointer pointer) {
    Buffer buffer = bufferOf(pointer);
    return buffer == null || !buffer.isDirect()
        ? addressOf(pointer)
        : DirectMemory.addressOf(buffer) + offsetOf(pointer);
  }

  /** Returns the bytes of a pointer up to the first zero or the end of its memory. */
  static byte[] text(Pointer pointer) {
    Buffer buffer = CudaError.found(bufferOf(pointer), CudaError.INVALID_VALUE);
    HostMemory host = CudaError.found(hostOf(pointer), CudaError.INVALID_VALUE);
    long size =
        buffer.isDirect()
            ? (long) buffer.capacity() * ArrayBytes.elementBytes(buffer)
            : new ArrayBytes(buffer.array()).size();
    byte[] text = new byte[Math.toIntExact(size - offsetOf(pointer))];
    host.read(text.length).get(text);
    return text;
  }

  /** Returns what a pointer refers to as a side of a copy. */
  static Side sideOf(Pointer pointer) {
    HostMemory host = hostOf(pointer);
    return host == null ? Side.device(addressOf(pointer)) : Side.host(host);
  }

  /** Returns the memory of the host that a pointer refers to; null if it is only an address. */
  static @Nullable HostMemory hostOf(Pointer pointer) {
    Buffer buffer = bufferOf(pointer);
    if (buffer != null) {
      return buffer.isDirect()
          ? new Direct(buffer, offsetOf(pointer))
          : new Heap(new ArrayBytes(buffer.array()), offsetOf(pointer));
    }
    NativePointerObject[] list = listOf(pointer);
    if (list == null) {
      return null;
    }
    ByteBuffer values =
        ByteBuffer.allocate(list.length * Long.BYTES).order(ByteOrder.nativeOrder());
    for (NativePointerObject each : list) {
      values.putLong(valueOf(each));
    }
    return new Heap(new ArrayBytes(values.array()), offsetOf(pointer));
  }

  /** Returns the number that a kernel gets for a pointer in a list. */
  private static long valueOf(@Nullable NativePointerObject object) {
    if (!(object instanceof Pointer pointer) || bufferOf(pointer) == null) {
      return object instanceof Pointer pointer ? addressOf(pointer) : handleOf(object);
    }
    long host = hostAddressOf(pointer);
    Block block = CudaProcess.get().memory.atHost(host);
    return block == null ? host : block.address() + host - block.host();
  }

  /** Direct memory: all of a buffer, from an offset. */
  private record Direct(Buffer buffer, long offset) implements HostMemory {
    @Override
    public long getAddress() {
      return DirectMemory.addressOf(buffer) + offset;
    }

    @Override
    public ByteBuffer read(int bytes) {
      requireInside(offset, bytes, (long) buffer.capacity() * ArrayBytes.elementBytes(buffer));
      return DirectMemory.view(getAddress(), bytes);
    }

    @Override
    public void write(ByteBuffer bytes) {
      read(bytes.remaining()).put(bytes.duplicate());
    }
  }

  /** An array, from an offset. */
  private record Heap(ArrayBytes array, long offset) implements HostMemory {
    @Override
    public long getAddress() {
      return 0;
    }

    @Override
    public ByteBuffer read(int bytes) {
      requireInside(offset, bytes, array.size());
      return array.read((int) offset, bytes);
    }

    @Override
    public void write(ByteBuffer bytes) {
      requireInside(offset, bytes.remaining(), array.size());
      array.write((int) offset, bytes);
    }
  }

  private static void requireInside(long offset, long bytes, long size) {
    if (offset < 0 || bytes > size - offset) {
      throw new IllegalArgumentException(
          bytes
              + " bytes from byte "
              + offset
              + " are not inside an array or buffer of "
              + size
              + " bytes; native code would access what follows in memory");
    }
  }
}
