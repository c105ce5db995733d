package org.vramkit.agent;

import org.vramkit.agent.Arguments.Call;
import org.vramkit.agent.Arguments.Struct;
import org.vramkit.agent.CudaCopies.Rows;

/** The driver: copies and sets. A call without a stream has the default one, 0. */
final class DriverCopies {
  /** Kinds of memory in the descriptions of copies: host, device, array, unified. */
  private static final int HOST = 1;

  private static final int DEVICE = 2;
  private static final int ARRAY = 3;
  private static final int UNIFIED = 4;

  private DriverCopies() {}

  /** Returns memory of a device, which a driver must know unless there is nothing to copy. */
  private static CudaPointer device(long address, long bytes) {
    boolean isKnown = bytes == 0 || CudaProcess.get().memory.at(address) != null;
    CudaError.require(isKnown, CudaError.INVALID_VALUE);
    return CudaPointer.at(address);
  }

  static int cuMemcpy(Call call, long target, long source, long bytes, long stream) {
    call.copies(stream).copy(CudaPointer.at(target), CudaPointer.at(source), bytes);
    return 0;
  }

  static int cuMemcpyHtoD(Call call, long target, CudaPointer source, long bytes, long stream) {
    call.copies(stream).copy(device(target, bytes), source, bytes);
    return 0;
  }

  static int cuMemcpyDtoH(Call call, CudaPointer target, long source, long bytes, long stream) {
    call.copies(stream).copy(target, device(source, bytes), bytes);
    return 0;
  }

  static int cuMemcpyDtoD(Call call, long target, long source, long bytes, long stream) {
    call.copies(stream).copy(device(target, bytes), device(source, bytes), bytes);
    return 0;
  }

  static int cuMemcpy2D(Call call, Struct copy, long stream) {
    CudaPointer source = side(copy, "src");
    CudaPointer target = side(copy, "dst");
    long width = copy.get("WidthInBytes");
    long sourcePitch = copy.get("srcPitch") == 0 ? width : copy.get("srcPitch");
    long targetPitch = copy.get("dstPitch") == 0 ? width : copy.get("dstPitch");
    call.copies(stream)
        .copyRows(
            target.plus(copy.get("dstY") * targetPitch + copy.get("dstXInBytes")),
            targetPitch,
            source.plus(copy.get("srcY") * sourcePitch + copy.get("srcXInBytes")),
            sourcePitch,
            new Rows(width, copy.get("Height")));
    return 0;
  }

  static int cuMemcpy3D(Call call, Struct copy, long stream) {
    CudaPointer source = side(copy, "src");
    CudaPointer target = side(copy, "dst");
    long width = copy.get("WidthInBytes");
    long height = copy.get("Height");
    long sourcePitch = copy.get("srcPitch") == 0 ? width : copy.get("srcPitch");
    long targetPitch = copy.get("dstPitch") == 0 ? width : copy.get("dstPitch");
    long sourceRows = copy.get("srcHeight") == 0 ? height : copy.get("srcHeight");
    long targetRows = copy.get("dstHeight") == 0 ? height : copy.get("dstHeight");
    for (long slice = 0; slice < copy.get("Depth"); slice++) {
      long from = (copy.get("srcZ") + slice) * sourceRows + copy.get("srcY");
      long to = (copy.get("dstZ") + slice) * targetRows + copy.get("dstY");
      call.copies(stream)
          .copyRows(
              target.plus(to * targetPitch + copy.get("dstXInBytes")),
              targetPitch,
              source.plus(from * sourcePitch + copy.get("srcXInBytes")),
              sourcePitch,
              new Rows(width, height));
    }
    return 0;
  }

  private static CudaPointer side(Struct copy, String side) {
    return switch ((int) copy.get(side + "MemoryType")) {
      case HOST -> copy.pointer(side + "Host");
      case DEVICE, UNIFIED -> copy.pointer(side + "Device");
      case ARRAY -> throw new UnsupportedOperationException("CUDA arrays are not simulated");
      default -> throw new CudaError(CudaError.INVALID_VALUE);
    };
  }

  static int cuMemsetD8(Call call, long target, byte value, long count, long stream) {
    call.copies(stream).set(target, value, Byte.BYTES, count);
    return 0;
  }

  static int cuMemsetD16(Call call, long target, short value, long count, long stream) {
    call.copies(stream).set(target, value, Short.BYTES, count);
    return 0;
  }

  static int cuMemsetD32(Call call, long target, int value, long count, long stream) {
    call.copies(stream).set(target, value, Integer.BYTES, count);
    return 0;
  }

  static int cuMemsetD2D8(
      Call call, long target, long pitch, byte value, long width, long height, long stream) {
    call.copies(stream).setRows(target, pitch, value, Byte.BYTES, new Rows(width, height));
    return 0;
  }

  static int cuMemsetD2D16(
      Call call, long target, long pitch, short value, long width, long height, long stream) {
    call.copies(stream).setRows(target, pitch, value, Short.BYTES, new Rows(width, height));
    return 0;
  }

  static int cuMemsetD2D32(
      Call call, long target, long pitch, int value, long width, long height, long stream) {
    call.copies(stream).setRows(target, pitch, value, Integer.BYTES, new Rows(width, height));
    return 0;
  }
}
