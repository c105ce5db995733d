package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import jcuda.driver.JCudaDriver;
import org.bytedeco.cuda.global.cudart;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.Stream;
import org.vramkit.javacpp.JavaCppInterop;
import org.vramkit.jcuda.JCudaInterop;
import org.vramkit.pool.caching.CachingAllocator;

@Tag("gpu")
@EnabledForJreRange(min = JRE.JAVA_22)
@SuppressWarnings("try") // bindings of a device are held, not called
class FfmInteropTest {
  private static final int BYTES = 4096;

  @Test
  @DisplayName("23.1 JavaCPP and JCuda work on memory and streams of the JDK's foreign functions")
  void bindings() {
    try (Backend backend = RealGpu.open("ffm");
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Stream stream = backend.getDevice(0).createStream();
        Stream viaJavaCpp =
            JavaCppInterop.wrap(backend.getDevice(0), JavaCppInterop.stream(stream));
        Allocation memory = allocator.allocate(BYTES, stream);
        DeviceBinding current = backend.getDevice(0).bind()) {
      cudart.cuMemsetD8Async(memory.getAddress(), (byte) 7, BYTES, JavaCppInterop.stream(stream));
      assertEquals(7, firstByte(viaJavaCpp, memory.getAddress()));
      JCudaDriver.cuMemsetD8Async(
          JCudaInterop.pointer(memory), (byte) 9, BYTES, JCudaInterop.stream(stream));
      assertEquals(9, firstByte(stream, memory.getAddress()));
    }
  }

  private static int firstByte(Stream stream, long address) {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    stream.copyToHost(bytes, address);
    return bytes.get(0);
  }
}
