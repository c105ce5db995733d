package org.vramkit.agent;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Addresses of direct buffers, and views of addresses, as the Java Native Interface has them. The
 * agent opens {@code java.nio} to itself for this; programs need no option.
 */
final class DirectMemory {
  private static final int BETWEEN_PROBES = 1 << 16;

  /** The memory of this process as a file, whose reads fail where a load would end the JVM. */
  private static final @Nullable RandomAccessFile PROCESS = openProcess();

  private static final VarHandle ADDRESS;
  private static final MethodHandle VIEW;

  static {
    try {
      MethodHandles.Lookup buffers =
          MethodHandles.privateLookupIn(Buffer.class, MethodHandles.lookup());
      ADDRESS = buffers.findVarHandle(Buffer.class, "address", long.class);
      Class<?> direct = Class.forName("java.nio.DirectByteBuffer");
      // JDK 21 made the capacity a long.
      Class<?> size = Runtime.version().feature() < 21 ? int.class : long.class;
      VIEW =
          MethodHandles.privateLookupIn(direct, MethodHandles.lookup())
              .findConstructor(direct, MethodType.methodType(void.class, long.class, size))
              .asType(MethodType.methodType(ByteBuffer.class, long.class, int.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private DirectMemory() {}

  /** Returns the address of the first byte of a direct buffer, whatever its position. */
  static long addressOf(Buffer direct) {
    return (long) ADDRESS.get(direct);
  }

  /**
   * Returns a view of memory of this process, which Linux can tell from other addresses; elsewhere,
   * an address is taken as it is.
   *
   * @throws CudaError if there is no memory
   */
  static ByteBuffer checkedView(long address, int bytes) {
    CudaError.require(address != 0, CudaError.INVALID_VALUE);
    for (long offset = 0; offset < bytes; offset += BETWEEN_PROBES) {
      CudaError.require(isReadable(address + offset), CudaError.INVALID_VALUE);
    }
    CudaError.require(bytes == 0 || isReadable(address + bytes - 1), CudaError.INVALID_VALUE);
    return view(address, bytes);
  }

  private static boolean isReadable(long address) {
    if (PROCESS == null || address <= 0) {
      return PROCESS == null;
    }
    // A channel would be closed by the interrupt of a reader.
    synchronized (PROCESS) {
      try {
        PROCESS.seek(address);
        return PROCESS.read() >= 0;
      } catch (IOException noMemory) {
        return false;
      }
    }
  }

  private static @Nullable RandomAccessFile openProcess() {
    try {
      return new RandomAccessFile("/proc/self/mem", "r");
    } catch (FileNotFoundException otherSystem) {
      return null;
    }
  }

  /** Returns a view of memory that the caller keeps allocated. */
  static ByteBuffer view(long address, int bytes) {
    try {
      ByteBuffer view = (ByteBuffer) VIEW.invokeExact(address, bytes);
      return view.order(ByteOrder.nativeOrder());
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a view of direct memory", e);
    }
  }
}
