package org.vramkit.agent;

import static jcuda.driver.JCudaDriver.*;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUpointer_attribute;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@SimulatedCuda
@DisplayName("JCuda's driver class answers as on an H200, about memory:")
class DriverMemoryAnswersTest extends DriverProgram {
  @Test
  @DisplayName("allocations and frees")
  void frees() {
    CUdeviceptr huge = new CUdeviceptr();
    assertEquals(2, cuMemAlloc(huge, 1L << 50));
    assertEquals(new CUdeviceptr(), huge);
    assertEquals(0, cuMemFree(new CUdeviceptr()));
    assertEquals(1, cuMemFree(d.withByteOffset(8)));
    assertEquals(0, cuCtxSynchronize());
    assertEquals(0, cuMemFree(d));
    assertTrue(d.toString().startsWith("CUdeviceptr[nativePointer=0x"), d.toString());
    assertEquals(1, cuMemFree(d));
    CUdeviceptr offset = d.withByteOffset(8);
    assertEquals(0, cuMemAlloc(offset, 4));
    assertTrue(offset.toString().endsWith("byteOffset=0]"), offset.toString());
    long[] pitch = new long[1];
    assertEquals(0, cuMemAllocPitch(new CUdeviceptr(), pitch, 513, 4, 4));
    assertEquals(1024, pitch[0]);
    assertEquals(1, cuMemAllocPitch(new CUdeviceptr(), pitch, 100, 4, 3));
    assertEquals(1, cuMemAllocPitch(new CUdeviceptr(), pitch, 0, 4, 4));
    CUdeviceptr ordered = new CUdeviceptr();
    assertEquals(0, cuMemAllocAsync(ordered, 4, new CUstream()));
    assertEquals(0, cuMemFreeAsync(ordered, null));
    assertEquals(0, cuStreamSynchronize(null));
  }

  @Test
  @DisplayName("arrays and buffers as sources and targets of copies")
  void copies() {
    float[] numbers = {0, 1, 2, 3, 4, 5, 6, 7};
    assertEquals(0, cuMemcpyHtoD(d, Pointer.to(numbers).withByteOffset(8), 8));
    float[] read = new float[8];
    assertEquals(0, cuMemcpyDtoH(Pointer.to(read).withByteOffset(4), d, 8));
    assertArrayEquals(new float[] {0, 2, 3, 0, 0, 0, 0, 0}, read);
    assertEquals(0, cuMemcpyHtoD(d.withByteOffset(16), Pointer.to(numbers), 8));
    assertEquals(0, cuMemcpyDtoH(Pointer.to(read).withByteOffset(4), d, 24));
    assertArrayEquals(new float[] {0, 2, 3, 0, 0, 0, 1, 0}, read);
    ByteBuffer direct = ByteBuffer.allocateDirect(32).order(ByteOrder.nativeOrder());
    direct.asFloatBuffer().put(numbers);
    direct.position(8);
    assertEquals(0, cuMemcpyHtoD(d, Pointer.to(direct), 4));
    assertEquals(0, slots()[0]);
    assertEquals(0, cuMemcpyHtoD(d, Pointer.toBuffer(direct), 4));
    assertEquals(2f, Float.intBitsToFloat(slots()[0]));
    assertEquals(1, cuMemcpyHtoD(d, Pointer.to(new byte[BYTES + 1]), BYTES + 1));
    assertThrows(IllegalArgumentException.class, () -> cuMemcpyHtoD(d, Pointer.to(new int[1]), 8));
  }

  @Test
  @DisplayName("asynchronous copies of arrays: a source is read at once, a target is waited for")
  void asynchronous() {
    CUstream stream = new CUstream();
    assertEquals(0, cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
    cuCtxSynchronize();
    int[] fives = {5, 5, 5, 5};
    assertEquals(0, cuMemcpyHtoDAsync(d, Pointer.to(fives), 16, stream));
    Arrays.fill(fives, 9);
    int[] read = new int[4];
    assertEquals(0, cuMemcpyDtoHAsync(Pointer.to(read), d, 16, stream));
    assertArrayEquals(new int[] {5, 5, 5, 5}, read);
  }

  @Test
  @DisplayName("page-locked memory")
  void pageLocked() {
    Pointer host = new Pointer();
    assertEquals(0, cuMemAllocHost(host, 64));
    assertEquals(64, host.getByteBuffer().capacity());
    assertEquals(ByteOrder.LITTLE_ENDIAN, host.getByteBuffer().order());
    assertEquals(16, host.getByteBuffer(8, 16).capacity());
    int[] flags = new int[1];
    assertEquals(0, cuMemHostGetFlags(flags, host));
    assertEquals(2, flags[0]);
    CUdeviceptr mapped = new CUdeviceptr();
    assertEquals(0, cuMemHostGetDevicePointer(mapped, host.withByteOffset(4), 0));
    assertEquals(0, store(Pointer.to(mapped), Pointer.to(new int[] {77})));
    assertEquals(0, store(Pointer.to(host), Pointer.to(new int[] {76})));
    assertEquals(0, cuCtxSynchronize());
    assertEquals(77, host.getByteBuffer().getInt(4));
    assertEquals(76, host.getByteBuffer().getInt(0));
    assertEquals(1, cuMemHostAlloc(new Pointer(), 64, 0x80));
    assertEquals(1, cuMemFreeHost(Pointer.to(ByteBuffer.allocateDirect(8))));
    assertEquals(0, cuMemFreeHost(host));
    assertEquals(1, cuMemFreeHost(host));
    Pointer own = Pointer.to(ByteBuffer.allocateDirect(64));
    assertEquals(0, cuMemHostRegister(own, 64, 0));
    assertEquals(712, cuMemHostRegister(own, 64, 0));
    assertEquals(0, cuMemHostUnregister(own));
    assertEquals(713, cuMemHostUnregister(own));
  }

  @Test
  @DisplayName("attributes of addresses")
  void attributes() {
    long[] value = new long[1];
    Pointer to = Pointer.to(value);
    int size = CUpointer_attribute.CU_POINTER_ATTRIBUTE_RANGE_SIZE;
    assertEquals(0, cuPointerGetAttribute(to, size, d.withByteOffset(4)));
    assertEquals(BYTES, value[0]);
    int kind = CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    assertEquals(0, cuPointerGetAttribute(to, kind, d));
    assertEquals(2, value[0] & 0xffff_ffffL);
    assertEquals(1, cuPointerGetAttribute(to, size, new CUdeviceptr()));
    assertEquals(1, cuPointerGetAttribute(to, 99, d));
  }

  @Test
  @DisplayName("a free, which waits for the kernel that uses the memory")
  void freeWaits() {
    assertEquals(0, store(Pointer.to(d), Pointer.to(new int[] {1})));
    assertEquals(0, cuMemFree(d));
  }
}
