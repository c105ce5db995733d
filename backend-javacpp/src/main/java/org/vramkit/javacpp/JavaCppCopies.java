package org.vramkit.javacpp;

import static org.vramkit.javacpp.JavaCppHandle.stream;

import java.nio.ByteBuffer;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.Pointer;
import org.vramkit.cuda.driver.CopyCalls;
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
}
