package org.vramkit.api.spi;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelAttributes;
import org.vramkit.api.device.KernelLimits;
import org.vramkit.api.device.KernelParameter;
import org.vramkit.api.device.KernelSignature;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.api.device.MemoryArgument;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * Checks the arguments of launches against the parameters of one kernel, and packs them as the
 * driver expects them. For backends; makes no garbage. Immutable.
 */
public final class LaunchArguments {
  private static final int MOST_BLOCKS_BEYOND_X = 65_535;
  private static final int MOST_THREADS_X = 1024;
  private static final int MOST_THREADS_Z = 64;

  private final KernelSignature signature;
  private final KernelAttributes attributes;
  private final KernelLimits limits;

  // One element for each parameter.
  private final int[] offsets;
  private final int[] sizes;
  private final long[] addressMasks;
  private final Values[] values;

  /** The numbers that a parameter takes. */
  private enum Values {
    /** Any of the right size, because PTX declares only bits. */
    ANY,
    INTEGERS,
    FLOATS;

    static Values of(String type) {
      char kind = type.length() > 1 && type.charAt(0) == '.' ? type.charAt(1) : 'b';
      return kind == 'f' ? FLOATS : kind == 'b' ? ANY : INTEGERS;
    }
  }

  /** Creates the checks of a kernel. */
  public LaunchArguments(
      KernelSignature signature, KernelAttributes attributes, KernelLimits limits) {
    this.signature = signature;
    this.attributes = attributes;
    this.limits = limits;
    int count = signature.parameters().size();
    offsets = new int[count];
    sizes = new int[count];
    addressMasks = new long[count];
    values = new Values[count];
    for (int i = 0; i < count; i++) {
      KernelParameter each = signature.parameters().get(i);
      offsets[i] = each.offset();
      sizes[i] = each.size();
      addressMasks[i] = each.addressAlignment() - 1L;
      values[i] = Values.of(each.type());
    }
  }

  /**
   * Checks a configuration.
   *
   * @param maxDynamicSharedBytes the current maximum of the kernel
   * @throws InvalidArgumentException if it exceeds a limit; the message has the limit
   */
  public void requireFits(LaunchConfig config, int maxDynamicSharedBytes) {
    if (config.block().getCount() > attributes.maxThreadsPerBlock()) {
      throw refused(
          config,
          "at most "
              + attributes.maxThreadsPerBlock()
              + " threads per block"
              + (attributes.maxThreadsPerBlock() < limits.threadsPerBlock()
                  ? ", because of its launch bounds or registers"
                  : ""));
    }
    if (config.block().x() > MOST_THREADS_X
        || config.block().y() > MOST_THREADS_X
        || config.block().z() > MOST_THREADS_Z) {
      throw refused(config, "blocks of at most 1024 x 1024 x 64 threads");
    }
    if (config.grid().y() > MOST_BLOCKS_BEYOND_X || config.grid().z() > MOST_BLOCKS_BEYOND_X) {
      throw refused(config, "grids of at most 2147483647 x 65535 x 65535 blocks");
    }
    if (config.dynamicSharedBytes() > maxDynamicSharedBytes) {
      int possible = limits.sharedBytesPerBlockOptIn() - attributes.staticSharedBytes();
      throw refused(
          config,
          "at most "
              + maxDynamicSharedBytes
              + " bytes of dynamic shared memory; "
              + (config.dynamicSharedBytes() <= possible
                  ? "allow more by kernel.setMaxDynamicSharedBytes(bytes)"
                  : "the device has " + possible + " for it"));
    }
  }

  private InvalidArgumentException refused(LaunchConfig config, String allowed) {
    return new InvalidArgumentException(
        "cannot launch " + signature.kernel() + config + ": it allows " + allowed);
  }

  /**
   * Writes the arguments of a launch to the parameter space.
   *
   * @param target the parameter space in native byte order, at least {@link
   *     KernelSignature#getSize()} bytes; its position is neither used nor changed
   * @throws InvalidArgumentException if they do not match the parameters; the message shows both
   */
  public void pack(@Nullable Object[] arguments, ByteBuffer target) {
    if (arguments.length != offsets.length) {
      throw mismatch(
          arguments, "takes " + offsets.length + " arguments, not " + arguments.length, null);
    }
    for (int i = 0; i < arguments.length; i++) {
      @Nullable Object argument = arguments[i];
      int offset = offsets[i];
      int size = sizes[i];
      Values wanted = values[i];
      if (argument instanceof MemoryArgument memory) {
        requireSize(arguments, i, size == Long.BYTES && wanted != Values.FLOATS);
        long address = memory.getAddress();
        requireAligned(arguments, i, address);
        target.putLong(offset, address);
      } else if (argument instanceof Integer value) {
        requireSize(arguments, i, size == Integer.BYTES && wanted != Values.FLOATS);
        target.putInt(offset, value);
      } else if (argument instanceof Long value) {
        requireSize(arguments, i, size == Long.BYTES && wanted != Values.FLOATS);
        requireAligned(arguments, i, value);
        target.putLong(offset, value);
      } else if (argument instanceof Float value) {
        requireSize(arguments, i, size == Float.BYTES && wanted != Values.INTEGERS);
        target.putFloat(offset, value);
      } else if (argument instanceof Double value) {
        requireSize(arguments, i, size == Double.BYTES && wanted != Values.INTEGERS);
        target.putDouble(offset, value);
      } else {
        packRarer(arguments, i, target);
      }
    }
  }

  private void packRarer(@Nullable Object[] arguments, int i, ByteBuffer target) {
    @Nullable Object argument = arguments[i];
    int offset = offsets[i];
    int size = sizes[i];
    if (argument instanceof ByteBuffer struct) {
      requireSize(arguments, i, size == struct.remaining());
      target.put(offset, struct, struct.position(), size);
    } else if (argument instanceof Short value) {
      requireSize(arguments, i, size == Short.BYTES);
      target.putShort(offset, value);
    } else if (argument instanceof Byte value) {
      requireSize(arguments, i, size == Byte.BYTES);
      target.put(offset, value);
    } else if (argument instanceof Boolean value) {
      requireSize(arguments, i, size == Byte.BYTES);
      target.put(offset, (byte) (value ? 1 : 0));
    } else if (argument instanceof Character value) {
      requireSize(arguments, i, size == Character.BYTES);
      target.putChar(offset, value);
    } else {
      throw mismatch(
          arguments,
          "cannot take " + describe(argument) + " as argument " + (i + 1),
          argument == null
              ? "pass 0L for a null pointer"
              : "pass memory, a number, or a ByteBuffer with the bytes of a struct");
    }
  }

  private void requireSize(@Nullable Object[] arguments, int i, boolean right) {
    if (!right) {
      throw mismatch(
          arguments,
          "takes "
              + signature.parameters().get(i)
              + " of "
              + sizes[i]
              + " bytes as argument "
              + (i + 1)
              + ", not "
              + describe(arguments[i]),
          "pass " + suitable(i));
    }
  }

  private String suitable(int i) {
    boolean isFloat = values[i] == Values.FLOATS;
    return switch (sizes[i]) {
      case Byte.BYTES -> "a byte or boolean";
      case Short.BYTES -> "a short, with the bits of a half-precision number if it takes one";
      case Integer.BYTES ->
          isFloat ? "a float" : values[i] == Values.ANY ? "an int or float" : "an int";
      case Long.BYTES ->
          isFloat
              ? "a double"
              : "memory or a long" + (values[i] == Values.ANY ? ", or a double" : "");
      default -> "a ByteBuffer of " + sizes[i] + " remaining bytes";
    };
  }

  private void requireAligned(@Nullable Object[] arguments, int i, long address) {
    if ((address & addressMasks[i]) != 0) {
      throw mismatch(
          arguments,
          "takes an address that is a multiple of "
              + (addressMasks[i] + 1)
              + " as argument "
              + (i + 1)
              + ", not 0x"
              + Long.toHexString(address),
          "pass an aligned address");
    }
  }

  private InvalidArgumentException mismatch(
      @Nullable Object[] arguments, String problem, @Nullable String remedy) {
    List<String> given = new ArrayList<>();
    for (@Nullable Object each : arguments) {
      given.add(describe(each));
    }
    return new InvalidArgumentException(
        signature.kernel()
            + " "
            + problem
            + (remedy == null ? "" : "; " + remedy)
            + "\n  kernel  "
            + signature
            + "\n  given   "
            + signature.kernel()
            + "("
            + String.join(", ", given)
            + ")");
  }

  private static String describe(@Nullable Object argument) {
    if (argument == null) {
      return "null";
    }
    if (argument instanceof MemoryArgument) {
      return "memory: " + argument;
    }
    if (argument instanceof ByteBuffer struct) {
      return "struct of " + struct.remaining() + " bytes";
    }
    if (argument instanceof Long value) {
      return "long 0x" + Long.toHexString(value);
    }
    if (argument instanceof Number
        || argument instanceof Boolean
        || argument instanceof Character) {
      return argument.getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT)
          + " "
          + argument;
    }
    return "object of " + argument.getClass().getName();
  }

  /** Records a submitted launch as a use of the memory that it was passed. */
  public static void recordUses(@Nullable Object[] arguments, Stream stream) {
    Device device = stream.getDevice();
    for (@Nullable Object each : arguments) {
      if (each instanceof MemoryArgument memory && memory.recordsUsesOf(device)) {
        memory.recordUse(stream);
      }
    }
  }

  /** Returns the error for a kernel that a module does not have. */
  public static InvalidArgumentException unknownKernel(String name, Iterable<String> known) {
    String names = String.join(", ", known);
    return new InvalidArgumentException(
        "the module has no kernel \""
            + name
            + "\""
            + (names.isEmpty() ? "" : "; it has " + names)
            + "; C++ compilers change names unless the kernel is declared extern \"C\"");
  }

  /** Returns the error for dynamic shared memory that a device does not have. */
  public static InvalidArgumentException tooMuchShared(Kernel kernel, int bytes, int possible) {
    return new InvalidArgumentException(
        "cannot allow "
            + kernel
            + " "
            + bytes
            + " bytes of dynamic shared memory; it can have from 0 to "
            + possible);
  }

  /** Returns the error for a kernel of another device than the stream. */
  public static InvalidArgumentException foreignKernel(Kernel kernel, Stream stream) {
    return new InvalidArgumentException(
        "cannot launch "
            + kernel
            + " on "
            + stream
            + ": load the module on "
            + stream.getDevice()
            + " too");
  }
}
