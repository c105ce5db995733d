package org.vramkit.cuda;

import java.nio.ByteBuffer;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.cuda.driver.CopyCalls;
import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.HostMemory;

/** Copies and fills. */
final class SimulatedCopies extends SimulatedCalls implements CopyCalls {
  SimulatedCopies(SimulatedProcess process) {
    super(process);
  }

  @Override
  public int cuMemsetD8Async(long target, byte value, long bytes, Handle stream) {
    return code(() -> stream(stream).fill(target, value, bytes));
  }

  @Override
  public int cuMemcpyAsync(long target, long source, long bytes, Handle stream) {
    return code(() -> stream(stream).copy(target, source, bytes));
  }

  @Override
  public int cuMemcpyHtoDAsync(long target, ByteBuffer source, Handle stream) {
    return code(() -> stream(stream).copyToDevice(target, source));
  }

  @Override
  public int cuMemcpyHtoDAsync(
      long target, HostMemory source, long offset, long bytes, Handle stream) {
    PinnedBuffer pinned = ((SimulatedMemory.Pinned) source).buffer();
    return code(() -> stream(stream).copyToDevice(target, pinned, offset, bytes));
  }

  @Override
  public int cuMemcpyDtoHAsync(ByteBuffer target, long source, Handle stream) {
    return code(() -> stream(stream).copyToHost(target, source));
  }

  @Override
  public int cuMemcpyDtoHAsync(
      HostMemory target, long offset, long source, long bytes, Handle stream) {
    PinnedBuffer pinned = ((SimulatedMemory.Pinned) target).buffer();
    return code(() -> stream(stream).copyToHost(pinned, offset, source, bytes));
  }

  @Override
  public int cuMemcpyBatchAsync(long[] targets, long[] sources, long[] bytes, Handle stream) {
    return CudaDriver.UNSUPPORTED;
  }
}
