package org.vramkit.agent;

import java.lang.annotation.Annotation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.FunctionPointer;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.annotation.ByRef;
import org.bytedeco.javacpp.annotation.ByVal;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.PointerList;
import org.vramkit.agent.Arguments.Struct;

/**
 * The natives of JavaCPP's structs, over their memory and {@code layouts.txt}, the table of their
 * sizes and offsets. A field is a number, a pointer, a struct or an array of these; its accessors
 * say which: those of arrays take an index, those of structs by value have an annotation.
 */
final class JavaCppStructs {
  private static final Map<String, Layout> LAYOUTS = read();
  private static final int NAME_BYTES = 256;

  /** The extent of one thread or block. */
  private static final int[] ONE = {1, 1, 1};

  private static final VarHandle ADDRESS;
  private static final VarHandle OWNER;
  private static final VarHandle FUNCTION;
  private static final VarHandle DEALLOCATOR;
  private static final MethodHandle INIT;
  private static final MethodHandle PUT_OFFSET;
  private static final MethodHandle GET;
  private static final MethodHandle PUT;
  private static final MethodHandle ALLOCATE;

  /** Functions of the program, by the addresses that stand for them. */
  private static final Map<Long, FunctionPointer> FUNCTIONS = new ConcurrentHashMap<>();

  static {
    try {
      MethodHandles.Lookup own = MethodHandles.lookup();
      MethodHandles.Lookup pointers = MethodHandles.privateLookupIn(Pointer.class, own);
      Class<?> deallocator = Class.forName(Pointer.class.getName() + "$NativeDeallocator");
      ADDRESS = pointers.findVarHandle(Pointer.class, "address", long.class);
      DEALLOCATOR =
          pointers.findVarHandle(
              Pointer.class,
              "deallocator",
              Class.forName(Pointer.class.getName() + "$Deallocator"));
      MethodHandles.Lookup deallocators = MethodHandles.privateLookupIn(deallocator, own);
      OWNER = deallocators.findVarHandle(deallocator, "ownerAddress", long.class);
      FUNCTION = deallocators.findVarHandle(deallocator, "deallocatorAddress", long.class);
      INIT =
          pointers.findVirtual(
              Pointer.class,
              "init",
              MethodType.methodType(void.class, long.class, long.class, long.class, long.class));
      PUT_OFFSET =
          MethodHandles.privateLookupIn(Loader.class, own)
              .findStatic(
                  Loader.class,
                  "putMemberOffset",
                  MethodType.methodType(void.class, Class.class, String.class, int.class));
      GET =
          own.findStatic(
              JavaCppStructs.class,
              "get",
              MethodType.methodType(Object.class, Field.class, Pointer.class, long.class));
      PUT =
          own.findStatic(
              JavaCppStructs.class,
              "put",
              MethodType.methodType(
                  Pointer.class, Field.class, Pointer.class, long.class, Object.class));
      ALLOCATE =
          own.findStatic(
              JavaCppStructs.class,
              "allocate",
              MethodType.methodType(void.class, Pointer.class, Object[].class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private JavaCppStructs() {}

  /** Size and offsets of a struct, with underscores for the dots of nested fields. */
  record Layout(int size, Map<String, Integer> offsets) {}

  /**
   * A field as an accessor has it.
   *
   * @param type of an element, in Java
   * @param isInline true for memory inside the struct, false for a number or a pointer
   */
  private record Field(int structBytes, int offset, Class<?> type, int bytes, boolean isInline) {}

  private static Map<String, Layout> read() {
    Map<String, Layout> layouts = new HashMap<>();
    for (String line : CudaError.lines("layouts.txt")) {
      String[] parts = line.split(" ", -1);
      Map<String, Integer> offsets = new HashMap<>();
      Arrays.stream(parts)
          .skip(2)
          .map(each -> each.split("=", 2))
          .forEach(each -> offsets.put(each[0].replace('.', '_'), Integer.valueOf(each[1])));
      layouts.put(parts[0], new Layout(Integer.parseInt(parts[1]), Map.copyOf(offsets)));
    }
    return layouts;
  }

  static Map<String, Layout> layouts() {
    return LAYOUTS;
  }

  /** Returns the layout of a class or of the struct that it extends. */
  private static Layout layoutOf(Class<?> type) {
    Class<?> each = type;
    while (!LAYOUTS.containsKey(each.getSimpleName())) {
      each = each.getSuperclass();
      if (each == null) {
        throw new UnsupportedOperationException("the layout of " + type + " is not known");
      }
    }
    return LAYOUTS.get(each.getSimpleName());
  }

  static boolean hasLayout(Class<?> type) {
    return LAYOUTS.containsKey(type.getSimpleName());
  }

  /** Makes known to JavaCPP what its native code says when it is loaded. */
  static void load(Class<?> type) {
    if (!Pointer.class.isAssignableFrom(type) || !hasLayout(type)) {
      return;
    }
    Layout layout = layoutOf(type);
    try {
      PUT_OFFSET.invoke(type, "sizeof", layout.size);
      for (Map.Entry<String, Integer> each : layout.offsets.entrySet()) {
        PUT_OFFSET.invoke(type, each.getKey(), (int) each.getValue());
      }
    } catch (Throwable e) {
      throw new IllegalStateException("the layout of " + type, e);
    }
  }

  static void setAddress(Pointer pointer, long address) {
    ADDRESS.set(pointer, address);
  }

  // ---- accessors ----

  /** Returns the handle of an instance method; null if it is no accessor of a known field. */
  static @Nullable MethodHandle find(Class<?> owner, String name, MethodType type) {
    int arguments = type.parameterCount() - 1;
    if (name.equals("allocate") || name.equals("allocateArray")) {
      boolean isKnown =
          (hasLayout(owner) && (arguments == 0 || name.equals("allocateArray")))
              || owner.getSimpleName().equals("dim3")
              || FunctionPointer.class.isAssignableFrom(owner);
      return isKnown ? ALLOCATE.asCollector(Object[].class, arguments).asType(type) : null;
    }
    if (!hasLayout(owner) || !layoutOf(owner).offsets.containsKey(fieldOf(name))) {
      return null;
    }
    boolean isSetter = arguments > 0 && type.returnType() == owner;
    boolean hasIndex = arguments == (isSetter ? 2 : 1);
    Class<?> value = isSetter ? type.parameterType(arguments) : type.returnType();
    Field field = field(owner, name, value, isSetter || hasIndex);
    MethodHandle accessor = MethodHandles.insertArguments(isSetter ? PUT : GET, 0, field);
    return (hasIndex ? accessor : MethodHandles.insertArguments(accessor, 1, 0L)).asType(type);
  }

  /**
   * Returns the field of an accessor, whose name has an underscore if a pointer's method has it.
   */
  private static String fieldOf(String accessor) {
    return accessor.equals("_free") ? "free" : accessor;
  }

  /** Describes a field by the accessor that returns an element of it. */
  private static Field field(Class<?> owner, String name, Class<?> value, boolean ofElement) {
    Layout layout = layoutOf(owner);
    Method indexed = null;
    Method plain = null;
    for (Method each : owner.getDeclaredMethods()) {
      if (each.getName().equals(name) && each.getParameterCount() == 0) {
        plain = each;
      } else if (each.getName().equals(name)
          && each.getParameterCount() == 1
          && each.getReturnType() != owner) {
        indexed = each;
      }
    }
    boolean isWholeArray = indexed != null && !ofElement;
    Method element = indexed == null ? plain : indexed;
    boolean isInline = isWholeArray || (element != null && isByValue(element));
    return new Field(
        layout.size,
        layout.offsets.getOrDefault(fieldOf(name), 0),
        value,
        value.isPrimitive() ? bytesOf(value) : isInline && hasLayout(value) ? sizeOf(value) : 8,
        isInline);
  }

  private static boolean isByValue(Method getter) {
    for (Annotation each : getter.getAnnotations()) {
      if (each instanceof ByRef || each instanceof ByVal) {
        return true;
      }
    }
    return false;
  }

  private static int sizeOf(Class<?> type) {
    return layoutOf(type).size;
  }

  private static int bytesOf(Class<?> type) {
    return type == byte.class || type == boolean.class
        ? Byte.BYTES
        : type == short.class || type == char.class
            ? Short.BYTES
            : type == int.class || type == float.class ? Integer.BYTES : Long.BYTES;
  }

  /** Returns the memory of an element. */
  private static ByteBuffer memory(Field field, Pointer struct, long index) {
    return DirectMemory.view(addressOf(field, struct, index), field.bytes);
  }

  private static long addressOf(Field field, Pointer struct, long index) {
    if (struct.isNull()) {
      throw new NullPointerException("This pointer address is NULL.");
    }
    return struct.address()
        + struct.position() * field.structBytes
        + field.offset
        + index * field.bytes;
  }

  @SuppressWarnings("unused") // found by its name
  private static @Nullable Object get(Field field, Pointer struct, long index) {
    if (field.isInline) {
      return pointer(field.type, addressOf(field, struct, index));
    }
    ByteBuffer memory = memory(field, struct, index);
    return switch (field.type.getName()) {
      case "byte" -> memory.get();
      case "boolean" -> memory.get() != 0;
      case "short" -> memory.getShort();
      case "int" -> memory.getInt();
      case "long" -> memory.getLong();
      case "float" -> memory.getFloat();
      case "double" -> memory.getDouble();
      default -> pointer(field.type, memory.getLong());
    };
  }

  /** Returns an object for an address; null for none. */
  static @Nullable Object pointer(Class<?> type, long address) {
    if (address == 0) {
      return null;
    }
    FunctionPointer function = FUNCTIONS.get(address);
    if (type.isInstance(function)) {
      return function;
    }
    Pointer made = newPointer(type);
    setAddress(made, address);
    return made;
  }

  private static Pointer newPointer(Class<?> type) {
    try {
      return (Pointer) type.getConstructor(Pointer.class).newInstance((Object) null);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("an object of " + type, e);
    }
  }

  private static Pointer put(Field field, Pointer struct, long index, Object value) {
    ByteBuffer memory = memory(field, struct, index);
    if (field.isInline) {
      Pointer given = (Pointer) value;
      memory.put(DirectMemory.view(positionOf(given, field.bytes), field.bytes));
      return struct;
    }
    switch (field.type.getName()) {
      case "byte" -> memory.put((byte) value);
      case "boolean" -> memory.put((byte) ((boolean) value ? 1 : 0));
      case "short" -> memory.putShort((short) value);
      case "int" -> memory.putInt((int) value);
      case "long" -> memory.putLong((long) value);
      case "float" -> memory.putFloat((float) value);
      case "double" -> memory.putDouble((double) value);
      default -> {
        boolean isElement = hasLayout(field.type);
        memory.putLong(
            value == null ? 0 : positionOf((Pointer) value, isElement ? sizeOf(field.type) : 1));
      }
    }
    return struct;
  }

  private static long positionOf(Pointer pointer, int elementBytes) {
    return pointer.isNull() ? 0 : pointer.address() + pointer.position() * elementBytes;
  }

  // ---- memory ----

  /** Allocates a struct, or an array of them, which like {@code new} in C++ is not cleared. */
  private static void allocate(Pointer struct, Object[] arguments) {
    boolean isFunction = struct instanceof FunctionPointer;
    int size = isFunction ? Long.BYTES : sizeOf(struct.getClass());
    boolean isArray = arguments.length == 1 && arguments[0] instanceof Long;
    long count = isArray ? (long) arguments[0] : 1;
    allocate(struct, Math.multiplyExact(size, count), count);
    if (isFunction) {
      FUNCTIONS.put(struct.address(), (FunctionPointer) struct);
    } else if (!isArray) {
      ByteBuffer memory = DirectMemory.view(struct.address(), size);
      memory.put(new byte[size]).rewind();
      if (struct.getClass().getSimpleName().equals("dim3")) {
        memory.asIntBuffer().put(extentOf(arguments));
      }
      for (Method each : struct.getClass().getMethods()) {
        if (each.getParameterCount() == 0 && each.getReturnType().getSimpleName().equals("dim3")) {
          // Its constructor in C++ makes it one thread or block.
          int offset = layoutOf(struct.getClass()).offsets.getOrDefault(each.getName(), size);
          if (offset < size) {
            memory.position(offset).slice().order(ByteOrder.nativeOrder()).asIntBuffer().put(ONE);
          }
        }
      }
    }
  }

  private static int[] extentOf(Object[] arguments) {
    if (arguments.length == 3) {
      return Arrays.stream(arguments).mapToInt(each -> (int) each).toArray();
    }
    if (arguments.length == 0) {
      return ONE;
    }
    Struct other = view((Pointer) arguments[0], 0);
    return new int[] {(int) other.get("x"), (int) other.get("y"), (int) other.get("z")};
  }

  /** Makes a struct, which is cleared. */
  static Pointer allocate(Class<?> type) {
    Pointer made = newPointer(type);
    allocate(made, new Object[0]);
    return made;
  }

  /** Returns the fields of a struct in their order in memory. */
  static List<String> fieldsOf(Class<?> type) {
    return layoutOf(type).offsets.entrySet().stream()
        .sorted(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey)
        .toList();
  }

  static void put(Pointer struct, String field, Object value) {
    Class<?> type = value instanceof Pointer ? Pointer.class : primitiveOf(value);
    put(field(struct.getClass(), field, type, true), struct, 0, value);
  }

  private static Class<?> primitiveOf(Object value) {
    return MethodType.methodType(value.getClass()).unwrap().returnType();
  }

  /** Gives a pointer memory that ends with it, as native code of JavaCPP does. */
  private static void allocate(Pointer pointer, long bytes, long capacity) {
    BytePointer memory = new BytePointer(Math.max(1, bytes));
    Object deallocator = DEALLOCATOR.get(memory);
    long function = (long) FUNCTION.get(deallocator);
    long address = (long) OWNER.getAndSet(deallocator, 0L);
    memory.deallocate();
    try {
      INIT.invokeExact(pointer, address, capacity, address, function);
    } catch (Throwable e) {
      throw new IllegalStateException("memory of " + pointer.getClass(), e);
    }
  }

  // ---- structs as handlers see them ----

  /** Returns an element of the array that begins with a struct. */
  static Struct view(Pointer struct, int index) {
    Layout layout = layoutOf(struct.getClass());
    return new View(
        CudaPointer.at(struct.address() + (struct.position() + index) * layout.size),
        struct.getClass());
  }

  private record View(CudaPointer memory, Class<?> type) implements Struct {
    private CudaPointer at(String field) {
      Integer offset = layoutOf(type).offsets.get(field);
      if (offset == null) {
        throw new UnsupportedOperationException(type + " has no field " + field);
      }
      return memory.plus(offset);
    }

    private Class<?> typeOf(String field) {
      return getter(field)
          .orElseThrow(() -> new UnsupportedOperationException(type + " has no field " + field))
          .getReturnType();
    }

    private Optional<Method> getter(String field) {
      return Arrays.stream(type.getMethods())
          .filter(each -> each.getName().equals(field) && each.getParameterCount() == 0)
          .findFirst();
    }

    /** The table of layouts has fields of CUDA 13 that earlier presets lack. */
    @Override
    public boolean has(String field) {
      return layoutOf(type).offsets.containsKey(field) && getter(field).isPresent();
    }

    @Override
    public long get(String field) {
      CudaPointer at = at(field);
      return typeOf(field) == int.class ? at.readInt() : at.readLong();
    }

    @Override
    public void set(String field, long value) {
      if (typeOf(field) == int.class) {
        at(field).write((int) value);
      } else {
        at(field).write(value);
      }
    }

    @Override
    public void set(String field, int[] values) {
      if (typeOf(field) == long.class) {
        set(field, values[0]);
        return;
      }
      for (int i = 0; i < values.length; i++) {
        at(field).plus((long) i * Integer.BYTES).write(values[i]);
      }
    }

    @Override
    public void set(String field, String text) {
      // The one text in a struct that is answered, a device's name, fills its room with zeros.
      byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
      at(field).write(ByteBuffer.wrap(Arrays.copyOf(bytes, NAME_BYTES)));
    }

    @Override
    public CudaPointer pointer(String field) {
      return CudaPointer.at(at(field).readLong());
    }

    @Override
    public void setPointer(String field, long address) {
      at(field).write(address);
    }

    @Override
    public Struct nested(String field) {
      return new View(at(field), typeOf(field));
    }

    @Override
    public Runnable function(String field, String data) {
      FunctionPointer found =
          CudaError.found(FUNCTIONS.get(at(field).readLong()), CudaError.INVALID_VALUE);
      return JavaCppArguments.function(found, CudaPointer.at(at(data).readLong()));
    }

    @Override
    public @Nullable PointerList list(String field) {
      CudaPointer list = pointer(field);
      return list.isNull() ? null : new JavaCppArguments.RawList(list);
    }
  }
}
