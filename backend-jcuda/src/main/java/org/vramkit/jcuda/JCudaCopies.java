package org.vramkit.jcuda;

import static org.vramkit.jcuda.JCudaHandle.stream;

import java.nio.ByteBuffer;
import jcuda.Pointer;
import jcuda.driver.JCudaDriver;
import org.vramkit.cuda.driver.CopyCalls;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.HostMemory;

/** Fill and copy calls. */
final class JCudaCopies implements CopyCalls {

  @Override
  public int cuMemsetD8Async(long target, byte value, long bytes, Handle stream) {
    return Results.of(
        () -> JCudaDriver.cuMemsetD8Async(new DevicePointer(target), value, bytes, stream(stream)));
  }

  @Override
  public int cuMemcpyAsync(long target, long source, long bytes, Handle stream) {
    return Results.of(
        () ->
            JCudaDriver.cuMemcpyAsync(
                new DevicePointer(target), new DevicePointer(source), bytes, stream(stream)));
  }

  @Override
  public int cuMemcpyHtoDAsync(long target, ByteBuffer source, Handle stream) {
    return toDevice(target, Pointer.to(source), source.capacity(), stream);
  }

  @Override
  public int cuMemcpyHtoDAsync(
      long target, HostMemory source, long offset, long bytes, Handle stream) {
    return toDevice(target, at(source, offset), bytes, stream);
  }

  @Override
  public int cuMemcpyDtoHAsync(ByteBuffer target, long source, Handle stream) {
    return toHost(Pointer.to(target), source, target.capacity(), stream);
  }

  @Override
  public int cuMemcpyDtoHAsync(
      HostMemory target, long offset, long source, long bytes, Handle stream) {
    return toHost(at(target, offset), source, bytes, stream);
  }

  private static int toDevice(long target, Pointer source, long bytes, Handle stream) {
    return Results.of(
        () ->
            JCudaDriver.cuMemcpyHtoDAsync(
                new DevicePointer(target), source, bytes, stream(stream)));
  }

  private static int toHost(Pointer target, long source, long bytes, Handle stream) {
    return Results.of(
        () ->
            JCudaDriver.cuMemcpyDtoHAsync(
                target, new DevicePointer(source), bytes, stream(stream)));
  }

  private static Pointer at(HostMemory memory, long offset) {
    return ((JCudaHostMemory) memory).pointer().withByteOffset(offset);
  }

  @Override
  public int cuMemcpyBatchAsync(long[] targets, long[] sources, long[] bytes, Handle stream) {
    return CudaDriver.UNSUPPORTED;
  }
}
