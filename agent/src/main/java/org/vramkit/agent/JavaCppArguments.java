package org.vramkit.agent;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntToLongFunction;
import org.bytedeco.cuda.cudart.CUhostFn;
import org.bytedeco.cuda.cudart.CUmemLocation_v1;
import org.bytedeco.cuda.cudart.CUoccupancyB2DSize;
import org.bytedeco.cuda.cudart.CUstreamCallback;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.cudart.cudaHostFn_t;
import org.bytedeco.cuda.cudart.cudaMemLocation;
import org.bytedeco.cuda.cudart.cudaStreamCallback_t;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.FunctionPointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.javacpp.SizeTPointer;
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
 * The arguments of JavaCPP, whose pointers are addresses in this process. A position counts bytes
 * where C takes {@code void *}, and elements where a parameter has a class of its own. {@link
 * ArgumentAdapters} finds the method for a parameter by its types.
 */
@SuppressWarnings({"unused", "overloads"}) // found by their types
final class JavaCppArguments {
  /** Texts that programs keep addresses of. */
  private static final Map<String, BytePointer> TEXTS = new ConcurrentHashMap<>();

  /** Places of memory: a device, the host, and its nodes. */
  private static final int MOST_PLACES = 4;

  /** The host in the place of a device, and a number that none has. */
  private static final int HOST = -1;

  private static final int NO_DEVICE = -2;

  private JavaCppArguments() {}

  // ---- handles, pointers and texts ----

  static long number(@Nullable Pointer handle) {
    return pointer(handle).address();
  }

  static CudaPointer pointer(@Nullable Pointer pointer) {
    return at(pointer, 1);
  }

  static CudaPointer pointer(@Nullable IntPointer pointer) {
    return at(pointer, Integer.BYTES);
  }

  private static CudaPointer at(@Nullable Pointer pointer, int elementBytes) {
    return pointer == null || pointer.address() == 0
        ? CudaPointer.NULL
        : CudaPointer.at(pointer.address() + pointer.position() * elementBytes);
  }

  static CudaPointer pointer(int @Nullable [] array) {
    return of(array);
  }

  static CudaPointer pointer(@Nullable IntBuffer buffer) {
    return at(buffer);
  }

  static CudaPointer pointer(long @Nullable [] array) {
    return of(array);
  }

  static CudaPointer pointer(@Nullable LongBuffer buffer) {
    return at(buffer);
  }

  static CudaPointer pointer(@Nullable LongPointer pointer) {
    return at(pointer, Long.BYTES);
  }

  static CudaPointer pointer(@Nullable SizeTPointer pointer) {
    return at(pointer, Long.BYTES);
  }

  private static CudaPointer at(@Nullable Buffer buffer) {
    if (buffer == null) {
      return CudaPointer.NULL;
    }
    long position = (long) buffer.position() * ArrayBytes.elementBytes(buffer);
    return buffer.isDirect()
        ? CudaPointer.at(DirectMemory.addressOf(buffer) + position)
        : new CudaPointer(0, new ArrayBytes(buffer.array()), position);
  }

  static @Nullable String text(@Nullable BytePointer text) {
    return text == null || text.isNull() ? null : textAt(pointer(text));
  }

  /** Returns a text up to its first zero, where C ends it. */
  static @Nullable String text(@Nullable String text) {
    int end = text == null ? -1 : text.indexOf(0);
    return text == null || end < 0 ? text : text.substring(0, end);
  }

  private static String textAt(CudaPointer pointer) {
    return new String(pointer.text(), StandardCharsets.UTF_8);
  }

  /** Returns a text that stays where it is. */
  static BytePointer lasting(String text) {
    return new BytePointer(TEXTS.computeIfAbsent(text, key -> new BytePointer(key)));
  }

  static @Nullable PointerList list(@Nullable Pointer list) {
    return list == null || list.isNull() ? null : new RawList(at(list, 1));
  }

  static @Nullable PointerList list(@Nullable PointerPointer<?> list) {
    return list == null || list.isNull() ? null : new RawList(at(list, Long.BYTES));
  }

  /** A list in memory, whose end C does not know. */
  record RawList(CudaPointer start) implements PointerList {
    @Override
    public int size() {
      return Integer.MAX_VALUE;
    }

    @Override
    public CudaPointer get(int index) {
      return CudaPointer.at(start.plus((long) index * Long.BYTES).readLong());
    }

    @Override
    public String describe(int index) {
      return "0x" + Long.toHexString(get(index).address());
    }

    @Override
    public String remedy(int index) {
      return "put a pointer to the value in the list, such as a LongPointer or an IntPointer";
    }
  }

  static @Nullable Texts texts(@Nullable PointerPointer<?> list) {
    return list == null || list.isNull()
        ? null
        : index -> textAt(new RawList(at(list, Long.BYTES)).get(index));
  }

  static @Nullable Texts texts(@Nullable BytePointer text) {
    return text == null || text.isNull() ? null : index -> textAt(pointer(text));
  }

  static @Nullable Texts texts(byte @Nullable [] text) {
    return text == null ? null : index -> textAt(new CudaPointer(0, new ArrayBytes(text), 0));
  }

  static @Nullable Texts texts(@Nullable ByteBuffer text) {
    return text == null ? null : index -> textAt(at(text));
  }

  // ---- results ----

  /** Lets an object point to a result. */
  static @Nullable Result result(@Nullable Pointer object) {
    return object == null ? null : new ObjectResult(object);
  }

  /** Lets an object point to a result, whose address the call reads. */
  static @Nullable InOut inOut(@Nullable Pointer object) {
    return object == null ? null : new ObjectResult(object);
  }

  static @Nullable InOut inOut(@Nullable SizeTPointer pointer) {
    return Cell.of(at(pointer, Long.BYTES), Long.BYTES);
  }

  static @Nullable InOut inOut(@Nullable PointerPointer<?> list) {
    return list == null ? null : new SlotResult(at(list, Long.BYTES));
  }

  private record ObjectResult(Pointer object) implements InOut {
    @Override
    public long get() {
      return number(object);
    }

    @Override
    public void set(long value) {
      JavaCppStructs.setAddress(object, value - object.position());
    }

    @Override
    public void set(@Nullable String text) {
      set(text == null ? 0 : lasting(text).address());
    }
  }

  static @Nullable Result result(@Nullable PointerPointer<?> list) {
    return list == null ? null : new SlotResult(at(list, Long.BYTES));
  }

  private record SlotResult(CudaPointer slot) implements InOut {
    @Override
    public long get() {
      return slot.readLong();
    }

    @Override
    public void set(long value) {
      slot.write(value);
    }

    @Override
    public void set(@Nullable String text) {
      set(text == null ? 0 : lasting(text).address());
    }
  }

  static @Nullable Result result(int @Nullable [] array) {
    return Cell.of(pointer(array), Integer.BYTES);
  }

  static @Nullable Result result(@Nullable IntBuffer buffer) {
    return Cell.of(at(buffer), Integer.BYTES);
  }

  static @Nullable Result result(@Nullable IntPointer pointer) {
    return Cell.of(at(pointer, Integer.BYTES), Integer.BYTES);
  }

  static @Nullable Result result(long @Nullable [] array) {
    return Cell.of(of(array), Long.BYTES);
  }

  static @Nullable Result result(@Nullable LongBuffer buffer) {
    return Cell.of(at(buffer), Long.BYTES);
  }

  static @Nullable Result result(@Nullable LongPointer pointer) {
    return Cell.of(at(pointer, Long.BYTES), Long.BYTES);
  }

  static @Nullable Result result(@Nullable SizeTPointer pointer) {
    return Cell.of(at(pointer, Long.BYTES), Long.BYTES);
  }

  static @Nullable Result result(float @Nullable [] array) {
    return Cell.of(of(array), Float.BYTES);
  }

  static @Nullable Result result(@Nullable FloatBuffer buffer) {
    return Cell.of(at(buffer), Float.BYTES);
  }

  static @Nullable Result result(@Nullable FloatPointer pointer) {
    return Cell.of(at(pointer, Float.BYTES), Float.BYTES);
  }

  private static CudaPointer of(@Nullable Object array) {
    return array == null ? CudaPointer.NULL : new CudaPointer(0, new ArrayBytes(array), 0);
  }

  static @Nullable Result result(@Nullable ByteBuffer text) {
    return text == null ? null : new TextResult(at(text), text.remaining());
  }

  static @Nullable Result result(byte @Nullable [] text) {
    return text == null
        ? null
        : new TextResult(new CudaPointer(0, new ArrayBytes(text), 0), text.length);
  }

  /** The start of a text that the binding copies, where C gives its address. */
  private record TextResult(CudaPointer room, int bytes) implements Result {
    @Override
    public void set(long value) {
      throw new IllegalStateException("a number as the result of a text");
    }

    @Override
    public void set(@Nullable String text) {
      if (text != null) {
        write(room, text, Math.min(text.length() + 1, bytes));
      }
    }
  }

  private static void write(CudaPointer room, String text, int bytes) {
    if (bytes > 0) {
      byte[] written = Arrays.copyOf(text.getBytes(StandardCharsets.UTF_8), bytes);
      written[bytes - 1] = 0;
      room.write(ByteBuffer.wrap(written));
    }
  }

  static @Nullable Room room(@Nullable BytePointer room) {
    return room == null || room.isNull()
        ? null
        : (text, bytes) -> write(pointer(room), text, bytes);
  }

  static @Nullable Room room(@Nullable ByteBuffer room) {
    return room == null ? null : (text, bytes) -> write(at(room), text, bytes);
  }

  static @Nullable Room room(byte @Nullable [] room) {
    return room == null
        ? null
        : (text, bytes) -> write(new CudaPointer(0, new ArrayBytes(room), 0), text, bytes);
  }

  /** An array of one handle, which the binding makes of an object. */
  static @Nullable Handles handles(@Nullable Pointer object) {
    return object == null ? null : new ObjectHandles(object);
  }

  private record ObjectHandles(Pointer object) implements Handles {
    @Override
    public long get(int index) {
      requireFirst(index);
      return number(object);
    }

    @Override
    public void set(int index, long handle) {
      requireFirst(index);
      JavaCppStructs.setAddress(object, handle);
    }

    private static void requireFirst(int index) {
      if (index != 0) {
        throw new IllegalArgumentException(
            "JavaCPP passes an array of one node, and native code would access what follows in"
                + " memory: add the other nodes by further calls");
      }
    }
  }

  // ---- structs ----

  static @Nullable Struct struct(@Nullable Pointer struct) {
    return struct == null || struct.isNull() ? null : JavaCppStructs.view(struct, 0);
  }

  static @Nullable Structs structs(@Nullable Pointer first) {
    return first == null || first.isNull() ? null : index -> JavaCppStructs.view(first, index);
  }

  /** Returns the device of a place of memory; the host is none. */
  static int device(@Nullable CUmemLocation_v1 location) {
    return device(location == null ? 0 : location.type(), location == null ? 0 : location.id());
  }

  static int device(@Nullable cudaMemLocation location) {
    return device(location == null ? 0 : location.type(), location == null ? 0 : location.id());
  }

  private static int device(int type, int id) {
    CudaError.require(type > 0 && type <= MOST_PLACES, CudaError.INVALID_VALUE);
    return type != 1 ? HOST : id < 0 ? NO_DEVICE : id;
  }

  // ---- functions of the program ----

  static @Nullable HostCallback callback(@Nullable CUstreamCallback function) {
    return function == null || function.isNull()
        ? null
        : (stream, data) -> call(() -> function.call(streamOf(stream), 0, dataOf(data)));
  }

  static @Nullable HostCallback callback(@Nullable cudaStreamCallback_t function) {
    return function == null || function.isNull()
        ? null
        : (stream, data) -> call(() -> function.call(streamOf(stream), 0, dataOf(data)));
  }

  static @Nullable HostCallback callback(@Nullable CUhostFn function) {
    return function == null || function.isNull()
        ? null
        : (stream, data) -> call(() -> function.call(dataOf(data)));
  }

  static @Nullable HostCallback callback(@Nullable cudaHostFn_t function) {
    return function == null || function.isNull()
        ? null
        : (stream, data) -> call(() -> function.call(dataOf(data)));
  }

  private static @Nullable CUstream_st streamOf(long handle) {
    CUstream_st stream = new CUstream_st();
    JavaCppStructs.setAddress(stream, handle);
    return handle == 0 ? null : stream;
  }

  /** Returns the call of a host function that a struct refers to. */
  static Runnable function(FunctionPointer function, CudaPointer data) {
    return function instanceof CUhostFn host
        ? () -> call(() -> host.call(dataAt(data)))
        : () -> call(() -> ((cudaHostFn_t) function).call(dataAt(data)));
  }

  private static @Nullable Pointer dataOf(@Nullable Object data) {
    return dataAt(pointer((Pointer) data));
  }

  private static @Nullable Pointer dataAt(CudaPointer at) {
    Pointer pointer = new Pointer();
    JavaCppStructs.setAddress(pointer, at.address());
    return at.isNull() ? null : pointer;
  }

  /** Calls a function on a thread as JavaCPP attaches it, which loses its exceptions. */
  private static void call(Runnable function) {
    Thread thread = Thread.currentThread();
    thread.setName("JavaCPP Thread ID " + thread.getId());
    thread.setContextClassLoader(null);
    try {
      function.run();
    } catch (RuntimeException | Error lost) {
      System.getLogger(JavaCppArguments.class.getName())
          .log(System.Logger.Level.WARNING, "a host function of the program threw", lost);
    }
  }

  static @Nullable IntToLongFunction sizes(@Nullable CUoccupancyB2DSize function) {
    return function == null ? null : function::call;
  }
}
