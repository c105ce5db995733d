package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.global.cudart;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.Stream;
import org.vramkit.javacpp.JavaCppInterop;
import org.vramkit.jcuda.JCudaInterop;
import org.vramkit.pool.caching.CachingAllocator;

@Tag("gpu")
@DisplayName("Streams and memory pass between Vramkit and the bindings on a real GPU")
@SuppressWarnings("try") // bindings of a device are held, not called
class InteropTest {
  private static final int BYTES = 4096;

  private static byte[] filled(int value) {
    byte[] bytes = new byte[BYTES];
    java.util.Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static byte[] read(Stream stream, long address) {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    stream.copyToHost(bytes, address);
    return bytes.array();
  }

  @Test
  @DisplayName("JCuda works on our memory and our stream")
  void jcudaOut() {
    try (Backend backend = RealGpu.open("jcuda");
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Stream stream = backend.getDevice(0).createStream();
        Allocation memory = allocator.allocate(BYTES, stream);
        DeviceBinding current = backend.getDevice(0).bind()) {
      JCudaDriver.cuMemsetD8Async(
          JCudaInterop.pointer(memory), (byte) 7, BYTES, JCudaInterop.stream(stream));
      assertArrayEquals(filled(7), read(stream, memory.getAddress()));
    }
  }

  @Test
  @DisplayName("a stream and memory of JCuda work as ours, and stay JCuda's")
  void jcudaIn() {
    try (Backend backend = RealGpu.open("jcuda");
        DeviceBinding current = backend.getDevice(0).bind()) {
      CUstream theirs = new CUstream();
      CUdeviceptr pointer = new CUdeviceptr();
      assertEquals(0, JCudaDriver.cuStreamCreate(theirs, 1));
      assertEquals(0, JCudaDriver.cuMemAlloc(pointer, BYTES));
      List<String> told = new ArrayList<>();
      Stream stream = JCudaInterop.wrap(backend.getDevice(0), theirs);
      Allocation memory = JCudaInterop.wrap(pointer, BYTES, stream, () -> told.add("closed"));
      stream.fill(memory.getAddress(), (byte) 5, BYTES);
      assertArrayEquals(filled(5), read(stream, memory.getAddress()));
      memory.close();
      stream.close();
      assertEquals(List.of("closed"), told);
      assertEquals(0, JCudaDriver.cuStreamSynchronize(theirs), "still there");
      assertEquals(0, JCudaDriver.cuStreamDestroy(theirs));
      assertEquals(0, JCudaDriver.cuMemFree(pointer));
    }
  }

  @Test
  @DisplayName("JavaCPP works on our memory and our stream")
  void javaCppOut() {
    try (Backend backend = RealGpu.open("javacpp");
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Stream stream = backend.getDevice(0).createStream();
        Allocation memory = allocator.allocate(BYTES, stream);
        DeviceBinding current = backend.getDevice(0).bind()) {
      assertEquals(BYTES, JavaCppInterop.pointer(memory).capacity());
      cudart.cuMemsetD8Async(
          JavaCppInterop.pointer(memory).address(), (byte) 7, BYTES, JavaCppInterop.stream(stream));
      assertArrayEquals(filled(7), read(stream, memory.getAddress()));
    }
  }

  @Test
  @DisplayName("a stream of JavaCPP works as ours, and stays JavaCPP's")
  void javaCppIn() {
    try (Backend backend = RealGpu.open("javacpp");
        DeviceBinding current = backend.getDevice(0).bind()) {
      CUstream_st theirs = new CUstream_st();
      assertEquals(0, cudart.cuStreamCreate(theirs, 1));
      Device device = backend.getDevice(0);
      Stream stream = JavaCppInterop.wrap(device, theirs);
      try (CachingAllocator allocator = CachingAllocator.create(device);
          Allocation memory = allocator.allocate(BYTES, stream)) {
        stream.fill(memory.getAddress(), (byte) 5, BYTES);
        assertArrayEquals(filled(5), read(stream, memory.getAddress()));
      }
      stream.close();
      assertEquals(0, cudart.cuStreamSynchronize(theirs), "still there");
      assertEquals(0, cudart.cuStreamDestroy(theirs));
    }
  }

  @Test
  @DisplayName("23.1 a stream of one binding works in the types of the other, and stays its own")
  void mixed() {
    try (Backend javacpp = RealGpu.open("javacpp");
        CachingAllocator allocator = CachingAllocator.create(javacpp.getDevice(0));
        Stream stream = javacpp.getDevice(0).createStream();
        Allocation memory = allocator.allocate(BYTES, stream);
        Stream wrapped = JCudaInterop.wrap(javacpp.getDevice(0), JCudaInterop.stream(stream));
        DeviceBinding current = javacpp.getDevice(0).bind()) {
      JCudaDriver.cuMemsetD8Async(
          JCudaInterop.pointer(memory), (byte) 3, BYTES, JCudaInterop.stream(stream));
      assertArrayEquals(filled(3), read(wrapped, memory.getAddress()));
    }
  }
}
