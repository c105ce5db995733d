package org.vramkit.agent;

import org.jspecify.annotations.Nullable;

/**
 * Types of handlers for arguments that each binding has classes of its own for. Handles are their
 * numbers, addresses of devices too; a {@link CudaPointer} is a pointer to memory, a {@code String}
 * a text. {@link JCudaArguments} and {@link JavaCppArguments} make them.
 */
final class Arguments {
  private Arguments() {}

  /** The place of a number, a handle, an address or a text. */
  interface Result {
    /** Sets a number, a handle or an address. */
    void set(long value);

    default void set(float value) {
      set((long) Float.floatToRawIntBits(value));
    }

    /** Sets a text; null if there is none. */
    default void set(@Nullable String text) {
      throw new UnsupportedOperationException("a text as a result of " + getClass());
    }

    /** Sets the address of memory of the host. */
    default void setHost(long address, long bytes) {
      set(address);
    }
  }

  /** The place of a number or a handle that a call reads, and sets. */
  interface InOut extends Result {
    long get();
  }

  /** A number in memory, which is 4 or 8 bytes long. */
  record Cell(CudaPointer at, int bytes) implements InOut {
    /** Returns the place of a number; null for a null pointer. */
    static @Nullable InOut of(CudaPointer at, int bytes) {
      return at.isNull() ? null : new Cell(at, bytes);
    }

    @Override
    public long get() {
      return bytes == Integer.BYTES ? at.readInt() : at.readLong();
    }

    @Override
    public void set(long value) {
      if (bytes == Integer.BYTES) {
        at.write((int) value);
      } else {
        at.write(value);
      }
    }
  }

  /** Room for a text and the zero behind it. */
  interface Room {
    /** Writes a text, filled with zeros up to a number of bytes. */
    void set(String text, int bytes);
  }

  /** The texts of an array of C. */
  interface Texts {
    String get(int index);
  }

  /** The handles of an array. */
  interface Handles {
    long get(int index);

    void set(int index, long handle);

    /** Refuses another number of handles than the array has, where the binding does. */
    default void requireCount(long count) {
      // C does not know it.
    }
  }

  /** A struct, whose fields have their names in C. */
  interface Struct {
    /** Returns whether this version of the struct has a field. */
    boolean has(String field);

    long get(String field);

    void set(String field, long value);

    /** Sets the elements of an array. */
    void set(String field, int[] values);

    /** Sets a text in an array of characters. */
    void set(String field, String text);

    /** Returns what a field points to, which is null if the field is. */
    CudaPointer pointer(String field);

    /** Sets a pointer to memory of the host or a device. */
    void setPointer(String field, long address);

    /** Returns a struct inside this one. */
    Struct nested(String field);

    /** Returns a function of the program, with its data in another field. */
    Runnable function(String field, String data);

    /** Returns the list of pointers that a field points to. */
    @Nullable PointerList list(String field);
  }

  /** The structs of an array. */
  interface Structs {
    @Nullable Struct get(int index);
  }

  /** A list of pointers, such as that of the parameters of a launch. */
  interface PointerList {
    /** Returns the number of entries; the largest number if C does not know it. */
    int size();

    CudaPointer get(int index);

    /** Describes an entry for an error. */
    String describe(int index);

    /** Returns how to pass a parameter in the place of a wrong entry. */
    String remedy(int index);
  }

  /** A function of the program that work of a stream calls. */
  interface HostCallback {
    void call(long stream, @Nullable Object data);
  }

  /** The call of a native method, for handlers of several. */
  record Call(CallRow row, Binding binding) {
    /** Refuses null in the place of a function, if its status is one of its own. */
    void requireFunction(long handle) {
      int status = row.statusWithoutFunction();
      CudaError.require(handle != 0 || status == CudaError.INVALID_HANDLE, status);
    }

    /** Returns the function of a handle, or of a kernel's. */
    CudaFunction function(long handle) {
      requireFunction(handle);
      return DriverModules.function(handle);
    }

    /** Submits work, or nothing, to a stream; a call without Async in its name may wait for it. */
    void submit(long stream, @Nullable CudaWork work) {
      CudaStream on = CudaThread.current().context().stream(stream);
      if (work != null) {
        on.submit(work);
        if (work.waits() && !row.function().endsWith("Async")) {
          CudaCapture.permit(on.context.device, on.stream::synchronize);
        }
      }
    }
  }

  /** The library that a program calls CUDA through. */
  enum Binding {
    JCUDA,
    JAVACPP
  }
}
