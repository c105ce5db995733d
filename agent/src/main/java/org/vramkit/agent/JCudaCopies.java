package org.vramkit.agent;

import static org.vramkit.agent.JCudaPointers.addressOf;
import static org.vramkit.agent.JCudaPointers.handleOf;
import static org.vramkit.agent.JCudaPointers.requireNonNull;
import static org.vramkit.agent.JCudaPointers.sideOf;

import jcuda.Pointer;
import jcuda.driver.CUDA_MEMCPY2D;
import jcuda.driver.CUDA_MEMCPY3D;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUstream;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.CudaCopies.Rows;
import org.vramkit.agent.CudaCopies.Side;

/** JCuda's driver: copies and sets. */
final class JCudaCopies {
  /** Kinds of memory in the descriptions of copies: host, device, array, unified. */
  private static final int HOST = 1;

  private static final int DEVICE = 2;
  private static final int ARRAY = 3;
  private static final int UNIFIED = 4;

  private JCudaCopies() {}

  /** The copies of a call without a stream. */
  private static CudaCopies now() {
    CudaContext context = CudaThread.current().context();
    return new CudaCopies(context.process.memory, context.stream(CudaStream.DEFAULT), true);
  }

  /** The copies of a call on a stream. */
  private static CudaCopies on(@Nullable CUstream stream) {
    CudaContext context = CudaThread.current().context();
    return new CudaCopies(context.process.memory, context.stream(handleOf(stream)), false);
  }

  private static Side device(Pointer pointer, String parameter, String function) {
    requireNonNull(pointer, parameter, function);
    return Side.device(addressOf(pointer));
  }

  private static Side host(Pointer pointer, String parameter, String function) {
    requireNonNull(pointer, parameter, function);
    return sideOf(pointer);
  }

  static int cuMemcpy(CUdeviceptr target, CUdeviceptr source, long bytes) {
    now().copy(device(target, "dst", "cuMemcpy"), device(source, "src", "cuMemcpy"), bytes);
    return 0;
  }

  static int cuMemcpyAsync(
      CUdeviceptr target, CUdeviceptr source, long bytes, @Nullable CUstream stream) {
    Side to = device(target, "dst", "cuMemcpyAsync");
    on(stream).copy(to, device(source, "src", "cuMemcpyAsync"), bytes);
    return 0;
  }

  static int cuMemcpyHtoD(CUdeviceptr target, Pointer source, long bytes) {
    Side to = device(target, "dstDevice", "cuMemcpyHtoD");
    now().copy(to, host(source, "srcHost", "cuMemcpyHtoD"), bytes);
    return 0;
  }

  static int cuMemcpyHtoDAsync(
      CUdeviceptr target, Pointer source, long bytes, @Nullable CUstream stream) {
    Side to = device(target, "dstDevice", "cuMemcpyHtoDAsync");
    on(stream).copy(to, host(source, "srcHost", "cuMemcpyHtoDAsync"), bytes);
    return 0;
  }

  static int cuMemcpyDtoH(Pointer target, CUdeviceptr source, long bytes) {
    Side to = host(target, "dstHost", "cuMemcpyDtoH");
    now().copy(to, device(source, "srcDevice", "cuMemcpyDtoH"), bytes);
    return 0;
  }

  static int cuMemcpyDtoHAsync(
      Pointer target, CUdeviceptr source, long bytes, @Nullable CUstream stream) {
    Side to = host(target, "dstHost", "cuMemcpyDtoHAsync");
    on(stream).copy(to, device(source, "srcDevice", "cuMemcpyDtoHAsync"), bytes);
    return 0;
  }

  static int cuMemcpyDtoD(CUdeviceptr target, CUdeviceptr source, long bytes) {
    Side to = device(target, "dstDevice", "cuMemcpyDtoD");
    now().copy(to, device(source, "srcDevice", "cuMemcpyDtoD"), bytes);
    return 0;
  }

  static int cuMemcpyDtoDAsync(
      CUdeviceptr target, CUdeviceptr source, long bytes, @Nullable CUstream stream) {
    Side to = device(target, "dstDevice", "cuMemcpyDtoDAsync");
    on(stream).copy(to, device(source, "srcDevice", "cuMemcpyDtoDAsync"), bytes);
    return 0;
  }

  static int cuMemcpy2D(CUDA_MEMCPY2D copy) {
    requireNonNull(copy, "pCopy", "cuMemcpy2D");
    copy(now(), copy);
    return 0;
  }

  static int cuMemcpy2DUnaligned(CUDA_MEMCPY2D copy) {
    requireNonNull(copy, "pCopy", "cuMemcpy2DUnaligned");
    copy(now(), copy);
    return 0;
  }

  static int cuMemcpy2DAsync(CUDA_MEMCPY2D copy, @Nullable CUstream stream) {
    requireNonNull(copy, "pCopy", "cuMemcpy2DAsync");
    copy(on(stream), copy);
    return 0;
  }

  private static void copy(CudaCopies copies, CUDA_MEMCPY2D copy) {
    Side source = side(copy.srcMemoryType, copy.srcHost, copy.srcDevice);
    Side target = side(copy.dstMemoryType, copy.dstHost, copy.dstDevice);
    long sourcePitch = copy.srcPitch == 0 ? copy.WidthInBytes : copy.srcPitch;
    long targetPitch = copy.dstPitch == 0 ? copy.WidthInBytes : copy.dstPitch;
    copies.copyRows(
        target.plus(copy.dstY * targetPitch + copy.dstXInBytes),
        targetPitch,
        source.plus(copy.srcY * sourcePitch + copy.srcXInBytes),
        sourcePitch,
        new Rows(copy.WidthInBytes, copy.Height));
  }

  static int cuMemcpy3D(CUDA_MEMCPY3D copy) {
    requireNonNull(copy, "pCopy", "cuMemcpy3D");
    copy(now(), copy);
    return 0;
  }

  static int cuMemcpy3DAsync(CUDA_MEMCPY3D copy, @Nullable CUstream stream) {
    requireNonNull(copy, "pCopy", "cuMemcpy3DAsync");
    copy(on(stream), copy);
    return 0;
  }

  private static void copy(CudaCopies copies, CUDA_MEMCPY3D copy) {
    Side source = side(copy.srcMemoryType, copy.srcHost, copy.srcDevice);
    Side target = side(copy.dstMemoryType, copy.dstHost, copy.dstDevice);
    long sourcePitch = copy.srcPitch == 0 ? copy.WidthInBytes : copy.srcPitch;
    long targetPitch = copy.dstPitch == 0 ? copy.WidthInBytes : copy.dstPitch;
    long sourceRows = copy.srcHeight == 0 ? copy.Height : copy.srcHeight;
    long targetRows = copy.dstHeight == 0 ? copy.Height : copy.dstHeight;
    for (long slice = 0; slice < copy.Depth; slice++) {
      long from = ((copy.srcZ + slice) * sourceRows + copy.srcY) * sourcePitch + copy.srcXInBytes;
      long to = ((copy.dstZ + slice) * targetRows + copy.dstY) * targetPitch + copy.dstXInBytes;
      copies.copyRows(
          target.plus(to),
          targetPitch,
          source.plus(from),
          sourcePitch,
          new Rows(copy.WidthInBytes, copy.Height));
    }
  }

  private static Side side(int kind, @Nullable Pointer host, @Nullable CUdeviceptr device) {
    return switch (kind) {
      case HOST -> sideOf(CudaError.found(host, CudaError.INVALID_VALUE));
      case DEVICE, UNIFIED ->
          Side.device(addressOf(CudaError.found(device, CudaError.INVALID_VALUE)));
      case ARRAY -> throw new UnsupportedOperationException("CUDA arrays are not simulated");
      default -> throw new CudaError(CudaError.INVALID_VALUE);
    };
  }

  static int cuMemsetD8(CUdeviceptr target, byte value, long count) {
    requireNonNull(target, "dstDevice", "cuMemsetD8");
    now().set(addressOf(target), value, 1, count);
    return 0;
  }

  static int cuMemsetD16(CUdeviceptr target, short value, long count) {
    requireNonNull(target, "dstDevice", "cuMemsetD16");
    now().set(addressOf(target), value, 2, count);
    return 0;
  }

  static int cuMemsetD32(CUdeviceptr target, int value, long count) {
    requireNonNull(target, "dstDevice", "cuMemsetD32");
    now().set(addressOf(target), value, 4, count);
    return 0;
  }

  static int cuMemsetD8Async(
      CUdeviceptr target, byte value, long count, @Nullable CUstream stream) {
    requireNonNull(target, "dstDevice", "cuMemsetD8Async");
    on(stream).set(addressOf(target), value, 1, count);
    return 0;
  }

  static int cuMemsetD16Async(
      CUdeviceptr target, short value, long count, @Nullable CUstream stream) {
    requireNonNull(target, "dstDevice", "cuMemsetD16Async");
    on(stream).set(addressOf(target), value, 2, count);
    return 0;
  }

  static int cuMemsetD32Async(
      CUdeviceptr target, int value, long count, @Nullable CUstream stream) {
    requireNonNull(target, "dstDevice", "cuMemsetD32Async");
    on(stream).set(addressOf(target), value, 4, count);
    return 0;
  }

  static int cuMemsetD2D8(CUdeviceptr target, long pitch, byte value, long width, long height) {
    requireNonNull(target, "dstDevice", "cuMemsetD2D8");
    now().setRows(addressOf(target), pitch, value, 1, new Rows(width, height));
    return 0;
  }

  static int cuMemsetD2D16(CUdeviceptr target, long pitch, short value, long width, long height) {
    requireNonNull(target, "dstDevice", "cuMemsetD2D16");
    now().setRows(addressOf(target), pitch, value, 2, new Rows(width, height));
    return 0;
  }

  static int cuMemsetD2D32(CUdeviceptr target, long pitch, int value, long width, long height) {
    requireNonNull(target, "dstDevice", "cuMemsetD2D32");
    now().setRows(addressOf(target), pitch, value, 4, new Rows(width, height));
    return 0;
  }

  static int cuMemsetD2D8Async(
      CUdeviceptr target,
      long pitch,
      byte value,
      long width,
      long height,
      @Nullable CUstream stream) {
    requireNonNull(target, "dstDevice", "cuMemsetD2D8Async");
    on(stream).setRows(addressOf(target), pitch, value, 1, new Rows(width, height));
    return 0;
  }

  static int cuMemsetD2D16Async(
      CUdeviceptr target,
      long pitch,
      short value,
      long width,
      long height,
      @Nullable CUstream stream) {
    requireNonNull(target, "dstDevice", "cuMemsetD2D16Async");
    on(stream).setRows(addressOf(target), pitch, value, 2, new Rows(width, height));
    return 0;
  }

  static int cuMemsetD2D32Async(
      CUdeviceptr target,
      long pitch,
      int value,
      long width,
      long height,
      @Nullable CUstream stream) {
    requireNonNull(target, "dstDevice", "cuMemsetD2D32Async");
    on(stream).setRows(addressOf(target), pitch, value, 4, new Rows(width, height));
    return 0;
  }
}
