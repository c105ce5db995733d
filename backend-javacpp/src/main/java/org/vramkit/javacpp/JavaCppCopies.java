package org.vramkit.javacpp;

import static org.vramkit.javacpp.JavaCppHandle.stream;

import java.nio.ByteBuffer;
import org.bytedeco.cuda.cudart.CUmemcpyAttributes_v1;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.vramkit.cuda.driver.CopyCalls;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.HostMemory;

/** Fill and copy calls. */
final class JavaCppCopies implements CopyCalls {

  @Override
  public int cuMemsetD8Async(long target, byte value, long bytes, Handle stream) {
    return cudart.cuMemsetD8Async(target, value, bytes, stream(stream));
  }

  @Override
  public int cuMemcpyAsync(long target, long source, long bytes, Handle stream) {
    return cudart.cuMemcpyAsync(target, source, bytes, stream(stream));
  }

  @Override
  public int cuMemcpyHtoDAsync(long target, ByteBuffer source, Handle stream) {
    return cudart.cuMemcpyHtoDAsync(target, new Pointer(source), source.capacity(), stream(stream));
  }

  @Override
  public int cuMemcpyHtoDAsync(
      long target, HostMemory source, long offset, long bytes, Handle stream) {
    return cudart.cuMemcpyHtoDAsync(
        target, ((JavaCppHostMemory) source).at(offset), bytes, stream(stream));
  }

  @Override
  public int cuMemcpyDtoHAsync(ByteBuffer target, long source, Handle stream) {
    return cudart.cuMemcpyDtoHAsync(new Pointer(target), source, target.capacity(), stream(stream));
  }

  @Override
  public int cuMemcpyDtoHAsync(
      HostMemory target, long offset, long source, long bytes, Handle stream) {
    return cudart.cuMemcpyDtoHAsync(
        ((JavaCppHostMemory) target).at(offset), source, bytes, stream(stream));
  }

  @Override
  public int cuMemcpyBatchAsync(long[] targets, long[] sources, long[] bytes, Handle stream) {
    if (!Batches.BOUND) {
      return CudaDriver.UNSUPPORTED;
    }
    try (SizeTPointer sizes = new SizeTPointer(bytes.length);
        SizeTPointer first = new SizeTPointer(1);
        CUmemcpyAttributes_v1 inStreamOrder = new CUmemcpyAttributes_v1()) {
      for (int i = 0; i < bytes.length; i++) {
        sizes.put(i, bytes[i]);
      }
      first.put(0, 0);
      Pointer.memset(inStreamOrder, 0, inStreamOrder.sizeof());
      inStreamOrder.srcAccessOrder(cudart.CU_MEMCPY_SRC_ACCESS_ORDER_STREAM);
      return cudart.cuMemcpyBatchAsync(
          targets, sources, sizes, bytes.length, inStreamOrder, first, 1, stream(stream));
    }
  }

  /** Tells if the driver has the variant that the presets bind; asked at the first batch. */
  private static final class Batches {
    private static final int SINCE = 13000;

    static final boolean BOUND = version() >= SINCE;

    private static int version() {
      int[] version = new int[1];
      return cudart.cuDriverGetVersion(version) == CudaResult.SUCCESS ? version[0] : 0;
    }
  }
}
