package org.vramkit.agent;

import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.Call;
import org.vramkit.agent.Arguments.Struct;
import org.vramkit.agent.Arguments.Structs;
import org.vramkit.agent.CudaCopies.Rows;
import org.vramkit.agent.CudaCopies.Side;

/** The driver: copies and sets. A call without a stream has the default one, 0. */
final class DriverCopies {
  /** Kinds of memory in the descriptions of copies: host, device, array, unified. */
  private static final int HOST = 1;

  private static final int DEVICE = 2;
  private static final int ARRAY = 3;
  private static final int UNIFIED = 4;

  /** The order of reads of sources in batches: that of the stream, during the call, any. */
  private static final int MOST_ACCESS_ORDER = 3;

  private DriverCopies() {}

  /** Returns memory of a device, which a driver must know unless there is nothing to copy. */
  private static CudaPointer device(long address, long bytes) {
    boolean isKnown = bytes == 0 || CudaProcess.get().memory.at(address) != null;
    CudaError.require(isKnown, CudaError.INVALID_VALUE);
    return CudaPointer.at(address);
  }

  static void cuMemcpy(Call call, long target, long source, long bytes, long stream) {
    call.submit(stream, CudaCopies.copy(CudaPointer.at(target), CudaPointer.at(source), bytes));
  }

  /** Copies in the order of the stream, whatever order the attributes allow. */
  static void cuMemcpyBatchAsync(
      Call call,
      CudaPointer targets,
      CudaPointer sources,
      CudaPointer sizes,
      long count,
      Structs attributes,
      CudaPointer firstIndexes,
      long attributeCount,
      long stream) {
    CudaError.require(count > 0 && attributeCount > 0, CudaError.INVALID_VALUE);
    CudaError.require(attributeCount <= count && stream != 0, CudaError.INVALID_VALUE);
    CudaError.require(firstIndexes.readLong() == 0, CudaError.INVALID_VALUE);
    LongStream.range(0, attributeCount).forEach(i -> requireKnown(attributes.get((int) i)));
    LongStream.range(1, attributeCount)
        .forEach(
            i ->
                CudaError.require(
                    element(firstIndexes, i) > element(firstIndexes, i - 1),
                    CudaError.INVALID_VALUE));
    call.submit(
        stream,
        CudaWork.all(
            LongStream.range(0, count)
                .mapToObj(
                    i ->
                        CudaError.found(
                            CudaCopies.copy(
                                CudaPointer.at(element(targets, i)),
                                CudaPointer.at(element(sources, i)),
                                element(sizes, i)),
                            CudaError.INVALID_VALUE))
                .toList()));
  }

  /** Refuses an attribute of copies with an unknown order or flags. */
  private static void requireKnown(@Nullable Struct attribute) {
    Struct given = CudaError.found(attribute, CudaError.INVALID_VALUE);
    long order = given.get("srcAccessOrder");
    boolean isKnown = order >= 1 && order <= MOST_ACCESS_ORDER && given.get("flags") >>> 1 == 0;
    CudaError.require(isKnown, CudaError.INVALID_VALUE);
  }

  private static long element(CudaPointer array, long index) {
    return array.plus(index * Long.BYTES).readLong();
  }

  /** Copies between contexts, whose addresses differ. */
  static void cuMemcpyPeer(
      Call call, long target, long to, long source, long from, long bytes, long stream) {
    // A null context is the current one.
    for (long context : new long[] {to, from}) {
      if (context != 0) {
        DriverContexts.context(context);
      }
    }
    DriverStreams.uncaptured(stream);
    cuMemcpyDtoD(call, target, source, bytes, stream);
  }

  static void cuMemcpyHtoD(Call call, long target, CudaPointer source, long bytes, long stream) {
    call.submit(stream, CudaCopies.copy(device(target, bytes), source, bytes));
  }

  static void cuMemcpyDtoH(Call call, CudaPointer target, long source, long bytes, long stream) {
    call.submit(stream, CudaCopies.copy(target, device(source, bytes), bytes));
  }

  static void cuMemcpyDtoD(Call call, long target, long source, long bytes, long stream) {
    call.submit(stream, CudaCopies.copy(device(target, bytes), device(source, bytes), bytes));
  }

  static void cuMemcpy2D(Call call, Struct copy, long stream) {
    call.submit(stream, box(copy, 1));
  }

  static void cuMemcpy3D(Call call, Struct copy, long stream) {
    call.submit(stream, box(copy, copy.get("Depth")));
  }

  /** Returns the copy of a box; that of a plane has no third dimension. */
  static @Nullable CudaWork box(Struct copy, long depth) {
    Rows rows = new Rows(copy.get("WidthInBytes"), copy.get("Height"));
    if (rows.isEmpty() || depth == 0) {
      return null;
    }
    return CudaCopies.copyBox(side(copy, "dst"), side(copy, "src"), rows, depth);
  }

  private static Side side(Struct copy, String side) {
    long given = copy.get(side + "Pitch");
    long pitch = given == 0 ? copy.get("WidthInBytes") : given;
    boolean isPlane = !copy.has("Depth");
    long height = isPlane ? 0 : copy.get(side + "Height");
    long sliceBytes = (height == 0 ? copy.get("Height") : height) * pitch;
    long offset = copy.get(side + "Y") * pitch + copy.get(side + "XInBytes");
    long slices = isPlane ? 0 : copy.get(side + "Z") * sliceBytes;
    return new Side(memory(copy, side).plus(offset + slices), pitch, sliceBytes);
  }

  private static CudaPointer memory(Struct copy, String side) {
    return switch ((int) copy.get(side + "MemoryType")) {
      case HOST -> copy.pointer(side + "Host");
      case DEVICE -> device(copy.pointer(side + "Device").address(), 1);
      case UNIFIED -> copy.pointer(side + "Device");
      case ARRAY -> throw new UnsupportedOperationException("CUDA arrays are not simulated");
      default -> throw new CudaError(CudaError.INVALID_VALUE);
    };
  }

  static void cuMemsetD8(Call call, long target, byte value, long count, long stream) {
    call.submit(stream, CudaCopies.set(target, value, Byte.BYTES, count));
  }

  static void cuMemsetD16(Call call, long target, short value, long count, long stream) {
    call.submit(stream, CudaCopies.set(target, value, Short.BYTES, count));
  }

  static void cuMemsetD32(Call call, long target, int value, long count, long stream) {
    call.submit(stream, CudaCopies.set(target, value, Integer.BYTES, count));
  }

  static void cuMemsetD2D8(
      Call call, long target, long pitch, byte value, long width, long height, long stream) {
    call.submit(
        stream, CudaCopies.setRows(target, pitch, value, Byte.BYTES, new Rows(width, height)));
  }

  static void cuMemsetD2D16(
      Call call, long target, long pitch, short value, long width, long height, long stream) {
    call.submit(
        stream, CudaCopies.setRows(target, pitch, value, Short.BYTES, new Rows(width, height)));
  }

  static void cuMemsetD2D32(
      Call call, long target, long pitch, int value, long width, long height, long stream) {
    call.submit(
        stream, CudaCopies.setRows(target, pitch, value, Integer.BYTES, new Rows(width, height)));
  }
}
