package org.vramkit.ffm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import org.vramkit.cuda.driver.CopyCalls;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.HostMemory;

/** Fill and copy calls. */
final class FfmCopies implements CopyCalls {
  /** {@code CUresult cuMemsetD8Async(CUdeviceptr dst, unsigned char uc, size_t N, CUstream)}. */
  private final Call.LBLL memsetD8Async;

  /** {@code CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream)}. */
  private final Call.LLLL memcpyAsync;

  /** {@code CUresult cuMemcpyHtoDAsync(CUdeviceptr dst, const void* src, size_t, CUstream)}. */
  private final Call.LLLL memcpyHtoDAsync;

  /** {@code CUresult cuMemcpyDtoHAsync(void* dst, CUdeviceptr src, size_t bytes, CUstream)}. */
  private final Call.LLLL memcpyDtoHAsync;

  /**
   * {@code CUresult cuMemcpyBatchAsync(CUdeviceptr* dsts, CUdeviceptr* srcs, size_t* sizes, size_t
   * count, CUmemcpyAttributes* attrs, size_t* attrsIdxs, size_t numAttrs, size_t* failIdx,
   * CUstream)}; drivers from CUDA 13.0 on have a second variant without {@code failIdx}.
   */
  private final Call.LLLLLLLLL memcpyBatchAsync;

  FfmCopies(DriverFunctions functions, DriverFunctions newer) {
    memcpyBatchAsync = new Call.LLLLLLLLL(newer.find("cuMemcpyBatchAsync", 12080));
    memsetD8Async = new Call.LBLL(functions.find("cuMemsetD8Async", 3020));
    memcpyAsync = new Call.LLLL(functions.find("cuMemcpyAsync", 4000));
    memcpyHtoDAsync =
        new Call.LLLL(functions.find("cuMemcpyHtoDAsync", 3020, "cuMemcpyHtoDAsync_v2"));
    memcpyDtoHAsync =
        new Call.LLLL(functions.find("cuMemcpyDtoHAsync", 3020, "cuMemcpyDtoHAsync_v2"));
  }

  @Override
  public int cuMemsetD8Async(long target, byte value, long bytes, Handle stream) {
    return memsetD8Async.call(target, value, bytes, stream.getAddress());
  }

  @Override
  public int cuMemcpyAsync(long target, long source, long bytes, Handle stream) {
    return memcpyAsync.call(target, source, bytes, stream.getAddress());
  }

  @Override
  public int cuMemcpyHtoDAsync(long target, ByteBuffer source, Handle stream) {
    try {
      return memcpyHtoDAsync.call(
          target, FfmMemory.addressOf(source), source.capacity(), stream.getAddress());
    } finally {
      Reference.reachabilityFence(source);
    }
  }

  @Override
  public int cuMemcpyHtoDAsync(
      long target, HostMemory source, long offset, long bytes, Handle stream) {
    return memcpyHtoDAsync.call(target, source.getAddress() + offset, bytes, stream.getAddress());
  }

  @Override
  public int cuMemcpyDtoHAsync(ByteBuffer target, long source, Handle stream) {
    try {
      return memcpyDtoHAsync.call(
          FfmMemory.addressOf(target), source, target.capacity(), stream.getAddress());
    } finally {
      Reference.reachabilityFence(target);
    }
  }

  @Override
  public int cuMemcpyDtoHAsync(
      HostMemory target, long offset, long source, long bytes, Handle stream) {
    return memcpyDtoHAsync.call(target.getAddress() + offset, source, bytes, stream.getAddress());
  }

  @Override
  public int cuMemcpyBatchAsync(long[] targets, long[] sources, long[] bytes, Handle stream) {
    if (memcpyBatchAsync.isAbsent()) {
      return CudaDriver.UNSUPPORTED;
    }
    try (Arena arena = Arena.ofConfined()) {
      long firstAndFailed = arena.allocate(JAVA_LONG, 2).address();
      return memcpyBatchAsync.call(
          arena.allocateFrom(JAVA_LONG, targets).address(),
          arena.allocateFrom(JAVA_LONG, sources).address(),
          arena.allocateFrom(JAVA_LONG, bytes).address(),
          bytes.length,
          Structures.copiesInStreamOrder(arena).address(),
          firstAndFailed,
          1,
          firstAndFailed + Long.BYTES,
          stream.getAddress());
    }
  }
}
