package org.vramkit.agent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.IntToLongFunction;
import jcuda.NativePointerObject;
import jcuda.Pointer;
import jcuda.driver.CUdevice;
import jcuda.driver.CUoccupancyB2DSize;
import jcuda.driver.CUstream;
import jcuda.driver.CUstreamCallback;
import jcuda.runtime.cudaDeviceProp;
import jcuda.runtime.cudaStreamCallback;
import jcuda.runtime.cudaStream_t;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.Cell;
import org.vramkit.agent.Arguments.Handles;
import org.vramkit.agent.Arguments.HostCallback;
import org.vramkit.agent.Arguments.InOut;
import org.vramkit.agent.Arguments.PointerList;
import org.vramkit.agent.Arguments.Result;
import org.vramkit.agent.Arguments.Room;
import org.vramkit.agent.Arguments.Struct;
import org.vramkit.agent.Arguments.Structs;
import org.vramkit.agent.Arguments.Texts;

/**
 * The arguments of JCuda. A pointer refers to an address, to a buffer, which may wrap an array, or
 * to a list of other pointers, each with an offset in bytes. {@link ArgumentAdapters} finds the
 * method for a parameter by its types.
 */
@SuppressWarnings({"unused", "overloads"}) // found by their types
final class JCudaArguments {
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

  private JCudaArguments() {}

  // ---- handles, addresses and pointers ----

  /** Returns a handle, or the address of a device's memory. */
  static long number(@Nullable NativePointerObject object) {
    long number = object == null ? 0 : (long) ADDRESS.get(object);
    return object instanceof Pointer pointer ? number + (long) OFFSET.get(pointer) : number;
  }

  static int device(@Nullable CUdevice device) {
    return (int) number(device);
  }

  static CudaPointer pointer(@Nullable Pointer pointer) {
    if (pointer == null) {
      return CudaPointer.NULL;
    }
    long offset = (long) OFFSET.get(pointer);
    Buffer buffer = (Buffer) BUFFER.get(pointer);
    if (buffer != null) {
      return buffer.isDirect()
          ? new CudaPointer(
              DirectMemory.addressOf(buffer) + offset, new BufferBytes(buffer), offset)
          : new CudaPointer(0, new ArrayBytes(buffer.array()), offset);
    }
    NativePointerObject[] list = (NativePointerObject[]) POINTERS.get(pointer);
    return list == null
        ? CudaPointer.at(number(pointer))
        : CudaPointer.to(Arrays.stream(list).mapToLong(JCudaArguments::valueOf).toArray())
            .plus(offset);
  }

  /** Returns the number that a kernel gets for a pointer in a list. */
  private static long valueOf(@Nullable NativePointerObject object) {
    return object instanceof Pointer pointer ? pointer(pointer).address() : number(object);
  }

  static CudaPointer pointer(byte @Nullable [] array) {
    return of(array);
  }

  static CudaPointer pointer(int @Nullable [] array) {
    return of(array);
  }

  /** Direct memory: all of a buffer. */
  private record BufferBytes(Buffer buffer) implements HostMemory {
    @Override
    public long size() {
      return (long) buffer.capacity() * ArrayBytes.elementBytes(buffer);
    }

    @Override
    public ByteBuffer read(int offset, int bytes) {
      return DirectMemory.view(DirectMemory.addressOf(buffer) + offset, bytes);
    }

    @Override
    public void write(int offset, ByteBuffer bytes) {
      read(offset, bytes.remaining()).put(bytes);
    }
  }

  static @Nullable PointerList list(@Nullable Pointer list) {
    if (list == null) {
      return null;
    }
    NativePointerObject[] entries = (NativePointerObject[]) POINTERS.get(list);
    if (entries == null && pointer(list).isNull()) {
      return null;
    }
    if (entries == null) {
      throw new IllegalArgumentException(
          "the list of pointers is " + list + "; pass Pointer.to(Pointer...)");
    }
    int first = Math.toIntExact((long) OFFSET.get(list) / Long.BYTES);
    return new PointerList() {
      @Override
      public int size() {
        return Math.max(0, entries.length - first);
      }

      @Override
      public CudaPointer get(int index) {
        NativePointerObject entry = entries[first + index];
        return entry instanceof Pointer pointer ? pointer(pointer) : CudaPointer.at(number(entry));
      }

      @Override
      public String describe(int index) {
        return String.valueOf(entries[first + index]);
      }

      @Override
      public String remedy(int index) {
        boolean isNull = entries[first + index] == null;
        return "pass Pointer.to(" + (isNull ? "value" : "pointer") + ") in the list";
      }
    };
  }

  // ---- results ----

  static @Nullable Result result(@Nullable NativePointerObject object) {
    return object == null ? null : new ObjectResult(object);
  }

  static @Nullable InOut inOut(@Nullable NativePointerObject object) {
    return object == null ? null : new ObjectResult(object);
  }

  static @Nullable InOut inOut(long @Nullable [] array) {
    return Cell.of(of(array), Long.BYTES);
  }

  private record ObjectResult(NativePointerObject object) implements InOut {
    @Override
    public long get() {
      return number(object);
    }

    @Override
    public void set(long value) {
      ADDRESS.set(object, value);
      if (object instanceof Pointer pointer) {
        OFFSET.set(pointer, 0L);
      }
    }

    @Override
    public void setHost(long address, long bytes) {
      set(address);
      BUFFER.set((Pointer) object, DirectMemory.view(address, Math.toIntExact(bytes)));
    }
  }

  static @Nullable Result result(int @Nullable [] array) {
    return cleared(array, Integer.BYTES);
  }

  static @Nullable Result result(long @Nullable [] array) {
    return cleared(array, Long.BYTES);
  }

  static @Nullable Result result(float @Nullable [] array) {
    return cleared(array, Float.BYTES);
  }

  /** Returns the first element, which JCuda also writes after a failure. */
  private static @Nullable Result cleared(@Nullable Object array, int bytes) {
    Result element = Cell.of(of(array), bytes);
    if (array != null && Array.getLength(array) == 0) {
      throw new ArrayIndexOutOfBoundsException("Array index out of bounds");
    }
    if (element != null) {
      element.set(0);
    }
    return element;
  }

  private static CudaPointer of(@Nullable Object array) {
    return array == null ? CudaPointer.NULL : new CudaPointer(0, new ArrayBytes(array), 0);
  }

  static @Nullable Result result(@Nullable String @Nullable [] array) {
    if (array != null && array.length == 0) {
      throw new IllegalArgumentException("String array must at least have length 1");
    }
    return array == null
        ? null
        : new Result() {
          @Override
          public void set(long value) {
            throw new IllegalStateException("a number as the result of a text");
          }

          @Override
          public void set(@Nullable String text) {
            array[0] = text;
          }
        };
  }

  static @Nullable Room room(@Nullable String @Nullable [] array) {
    return array == null
        ? null
        : (text, bytes) -> array[0] = text.substring(0, Math.min(text.length(), bytes - 1));
  }

  static @Nullable Room room(byte @Nullable [] array) {
    return array == null ? null : (text, bytes) -> write(text, array, bytes);
  }

  private static void write(String text, byte[] room, int bytes) {
    int given = Math.min(bytes, room.length);
    byte[] known = text.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(Arrays.copyOf(known, given), 0, room, 0, given);
    room[given - 1] = 0;
  }

  static @Nullable Texts texts(String @Nullable [] array) {
    return array == null ? null : index -> array[index];
  }

  static @Nullable Handles handles(@Nullable NativePointerObject @Nullable [] array) {
    return array == null
        ? null
        : new Handles() {
          @Override
          public long get(int index) {
            return number(array[index]);
          }

          @Override
          public void set(int index, long handle) {
            ADDRESS.set(CudaError.found(array[index], CudaError.INVALID_VALUE), handle);
          }

          @Override
          public void requireCount(long count) {
            if (count != array.length) {
              throw new IllegalArgumentException(
                  "Array length and number of dependencies do not match");
            }
          }
        };
  }

  // ---- structs ----

  static @Nullable Structs structs(Object @Nullable [] array) {
    return array == null ? null : index -> struct(array[index]);
  }

  static @Nullable Struct struct(@Nullable Object object) {
    return object == null ? null : new Fields(object);
  }

  /** A class of JCuda, whose fields have the names of those in C. */
  private record Fields(Object object) implements Struct {
    private Field field(String name) {
      try {
        return object.getClass().getField(name);
      } catch (NoSuchFieldException e) {
        throw new UnsupportedOperationException(
            "this version of JCuda has no field " + name + " in " + object.getClass(), e);
      }
    }

    private Object value(String name) {
      try {
        return field(name).get(object);
      } catch (IllegalAccessException e) {
        throw new IllegalStateException(e);
      }
    }

    private void setValue(String name, Object value) {
      try {
        field(name).set(object, value);
      } catch (IllegalAccessException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public boolean has(String name) {
      return Arrays.stream(object.getClass().getFields())
          .anyMatch(each -> each.getName().equals(name));
    }

    @Override
    public long get(String name) {
      Object value = value(name);
      return value instanceof Number number
          ? number.longValue()
          : number((NativePointerObject) value);
    }

    @Override
    public void set(String name, long value) {
      Class<?> type = field(name).getType();
      if (type == int.class) {
        setValue(name, (int) value);
      } else {
        setValue(name, value);
      }
    }

    @Override
    public void set(String name, int[] values) {
      if (field(name).getType() == int[].class) {
        setValue(name, values);
      } else {
        set(name, values[0]);
      }
    }

    @Override
    public void set(String name, String text) {
      // The one text in a struct that is answered.
      ((cudaDeviceProp) object).setName(text);
    }

    @Override
    public CudaPointer pointer(String name) {
      return JCudaArguments.pointer((Pointer) value(name));
    }

    @Override
    public void setPointer(String name, long address) {
      Pointer pointer = new Pointer();
      ADDRESS.set(pointer, address);
      setValue(name, pointer);
    }

    @Override
    public Struct nested(String name) {
      return new Fields(CudaError.found(value(name), CudaError.INVALID_VALUE));
    }

    @Override
    public Runnable function(String name, String data) {
      Object found = CudaError.found(value(name), CudaError.INVALID_VALUE);
      return JCudaHostFunctions.bind(found, value(data));
    }

    @Override
    public @Nullable PointerList list(String name) {
      return JCudaArguments.list((Pointer) value(name));
    }
  }

  // ---- functions of the program ----

  static @Nullable HostCallback callback(@Nullable CUstreamCallback function) {
    return function == null
        ? null
        : (stream, data) -> call(() -> function.call(with(new CUstream(), stream), 0, data));
  }

  static @Nullable HostCallback callback(@Nullable cudaStreamCallback function) {
    return function == null
        ? null
        : (stream, data) -> call(() -> function.call(with(new cudaStream_t(), stream), 0, data));
  }

  private static <T extends NativePointerObject> @Nullable T with(T object, long handle) {
    ADDRESS.set(object, handle);
    return handle == 0 ? null : object;
  }

  /** Calls a function on a thread of its own, as JCuda attaches one for each call. */
  static void call(Runnable function) {
    Thread thread = new Thread(() -> CudaThread.current().inHostFunction(function));
    thread.setContextClassLoader(null);
    thread.setDaemon(false);
    thread.start();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  static @Nullable IntToLongFunction sizes(@Nullable CUoccupancyB2DSize function) {
    return function == null ? null : function::call;
  }
}
