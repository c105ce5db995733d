package org.vramkit.agent;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Addresses of direct buffers, and views of addresses, as the Java Native Interface has them. The
 * agent opens {@code java.nio} to itself for this; programs need no option.
 */
final class DirectMemory {
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
