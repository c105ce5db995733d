package org.vramkit.agent;

import static jcuda.runtime.JCuda.*;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import jcuda.CudaException;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.JCudaDriver;
import jcuda.runtime.cudaDeviceProp;
import jcuda.runtime.cudaEvent_t;
import jcuda.runtime.cudaExtent;
import jcuda.runtime.cudaMemcpyKind;
import jcuda.runtime.cudaPitchedPtr;
import jcuda.runtime.cudaPointerAttributes;
import jcuda.runtime.cudaStream_t;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Answers of JCuda 12.6 and its runtime on an H200 with driver 580. */
@SimulatedCuda
@DisplayName("JCuda's runtime class answers as on an H200:")
class RuntimeAnswersTest {
  private static final int TO_DEVICE = cudaMemcpyKind.cudaMemcpyHostToDevice;
  private static final int TO_HOST = cudaMemcpyKind.cudaMemcpyDeviceToHost;
  private static final int ON_DEVICE = cudaMemcpyKind.cudaMemcpyDeviceToDevice;

  @BeforeEach
  void noExceptions() {
    setExceptionsEnabled(false);
  }

  private static Pointer allocate(long bytes) {
    Pointer pointer = new Pointer();
    assertEquals(0, cudaMalloc(pointer, bytes));
    return pointer;
  }

  private static boolean isContextCurrent() {
    CUcontext context = new CUcontext();
    assertEquals(0, JCudaDriver.cuCtxGetCurrent(context));
    return !context.equals(new CUcontext());
  }

  private static int primaryActive() {
    CUdevice device = new CUdevice();
    assertEquals(0, JCudaDriver.cuDeviceGet(device, 0));
    int[] flags = new int[1];
    int[] active = new int[1];
    assertEquals(0, JCudaDriver.cuDevicePrimaryCtxGetState(device, flags, active));
    assertEquals(0, flags[0]);
    return active[0];
  }

  @Test
  @DisplayName("the last error: set, kept, read, of a thread")
  void lastError() throws Exception {
    assertEquals(2, cudaMalloc(new Pointer(), 1L << 50));
    assertEquals(2, cudaPeekAtLastError());
    assertEquals(0, cudaStreamQuery(null));
    assertEquals(0, CompletableFuture.supplyAsync(() -> cudaPeekAtLastError()).get());
    assertEquals(2, cudaGetLastError());
    assertEquals(0, cudaGetLastError());
    assertEquals(101, cudaSetDevice(99));
    assertEquals(101, cudaGetLastError());
    assertEquals(1, JCudaDriver.cuMemFree(allocated().withByteOffset(8)));
    assertEquals(0, cudaGetLastError());
    int[] slots = new int[1];
    Pointer pointer = allocate(4);
    assertEquals(21, cudaMemcpy(pointer, Pointer.to(slots), 4, 99));
    assertEquals(21, cudaMemcpy(pointer, Pointer.to(slots), 4, 4));
    assertEquals(0, cudaPeekAtLastError());
    assertEquals("invalid argument", cudaGetErrorString(1));
    assertEquals("cudaErrorMemoryAllocation", cudaGetErrorName(2));
    assertEquals("unrecognized error code", cudaGetErrorString(9999));
  }

  private static CUdeviceptr allocated() {
    CUdeviceptr pointer = new CUdeviceptr();
    assertEquals(0, JCudaDriver.cuMemAlloc(pointer, 64));
    return pointer;
  }

  @Test
  @DisplayName("calls that make no context")
  void withoutContext() {
    List<IntSupplier> calls =
        List.of(
            () -> cudaGetDeviceCount(new int[1]),
            () -> cudaGetDevice(new int[1]),
            () -> cudaDeviceGetAttribute(new int[1], 10, 0),
            () -> cudaGetDeviceProperties(new cudaDeviceProp(), 0),
            () -> cudaPointerGetAttributes(new cudaPointerAttributes(), new Pointer()),
            () -> cudaDeviceReset());
    for (IntSupplier call : calls) {
      assertEquals(0, call.getAsInt());
      assertEquals(false, isContextCurrent());
      assertEquals(0, primaryActive());
    }
  }

  @Test
  @DisplayName("calls that make the primary context current")
  void withContext() {
    List<IntSupplier> calls =
        List.of(
            () -> cudaSetDevice(0),
            () -> cudaFree(new Pointer()),
            () -> cudaMemGetInfo(new long[1], new long[1]),
            () -> cudaMallocHost(new Pointer(), 64),
            () -> cudaEventCreate(new cudaEvent_t()),
            () -> cudaStreamCreate(new cudaStream_t()),
            () -> cudaDeviceGetLimit(new long[1], 0),
            () -> cudaDeviceGetStreamPriorityRange(new int[1], new int[1]),
            () -> cudaDeviceSynchronize(),
            () -> cudaStreamSynchronize(null),
            () -> cudaStreamQuery(null));
    for (IntSupplier call : calls) {
      assertEquals(0, call.getAsInt());
      assertEquals(true, isContextCurrent());
      assertEquals(1, primaryActive());
      assertEquals(0, cudaDeviceReset());
      assertEquals(0, primaryActive());
      JCudaDriver.cuCtxPopCurrent(new CUcontext());
    }
  }

  @Test
  @SuppressWarnings("deprecation") // programs read older properties, too
  @DisplayName("versions and properties")
  void properties() {
    int[] number = new int[1];
    assertEquals(0, cudaRuntimeGetVersion(number));
    assertEquals(12_000, number[0]);
    assertEquals(0, cudaDriverGetVersion(number));
    assertEquals(13_000, number[0]);
    cudaDeviceProp properties = new cudaDeviceProp();
    assertEquals(0, cudaGetDeviceProperties(properties, 0));
    assertEquals("NVIDIA H200", properties.getName());
    assertEquals(132, properties.multiProcessorCount);
    assertEquals(62_914_560, properties.l2CacheSize);
    assertEquals(232_448, properties.sharedMemPerBlockOptin);
    assertEquals(1_980_000, properties.clockRate);
    assertEquals(3_201_000, properties.memoryClockRate);
    assertEquals(101, cudaGetDeviceProperties(properties, 1));
    assertEquals(1, cudaDeviceGetAttribute(number, 9999, 0));
    assertEquals(0, cudaSetDeviceFlags(4));
    assertEquals(0, cudaGetDeviceFlags(number));
    assertEquals(12, number[0]);
    assertEquals(1, cudaSetDeviceFlags(0xffff));
  }

  @Test
  @DisplayName("directions of copies")
  void directions() {
    Pointer device = allocate(64);
    Pointer other = allocate(64);
    Pointer locked = new Pointer();
    assertEquals(0, cudaMallocHost(locked, 64));
    locked.getByteBuffer().putInt(0, 7);
    Pointer pageable = Pointer.to(new int[] {5});
    int[] read = new int[1];
    assertEquals(0, cudaMemset(device, 0, 64));
    assertEquals(0, cudaMemset(other, 0, 64));
    assertEquals(0, cudaMemcpy(device, pageable, 4, TO_DEVICE));
    assertEquals(0, cudaMemcpy(other, device, 4, TO_DEVICE));
    assertEquals(0, cudaMemcpy(other, device, 4, TO_HOST));
    assertEquals(1, cudaMemcpy(pageable, device, 4, TO_DEVICE));
    assertEquals(1, cudaMemcpy(device, pageable, 4, TO_HOST));
    assertEquals(1, cudaMemcpy(Pointer.to(read), pageable, 4, TO_HOST));
    assertEquals(1, cudaMemcpy(Pointer.to(read), pageable, 4, TO_DEVICE));
    assertEquals(0, cudaMemcpy(Pointer.to(read), pageable, 4, 0));
    assertEquals(1, cudaMemcpy(device, pageable, 4, ON_DEVICE));
    assertEquals(1, cudaMemcpy(pageable, device, 4, ON_DEVICE));
    assertEquals(0, cudaMemcpy(Pointer.to(read), locked, 4, TO_HOST));
    assertEquals(7, read[0]);
    assertEquals(0, cudaMemcpy(Pointer.to(read), other, 4, TO_HOST));
    assertEquals(5, read[0]);
    assertEquals(0, cudaMemcpy(locked, pageable, 4, TO_DEVICE));
    assertEquals(0, cudaMemcpy(new Pointer(), new Pointer(), 0, TO_DEVICE));
    assertEquals(1, cudaMemcpy(new Pointer(), pageable, 4, TO_DEVICE));
    assertEquals(1, cudaMemcpy(device, Pointer.to(new byte[65]), 65, TO_DEVICE));
  }

  @Test
  @DisplayName("memory and its attributes")
  void memory() {
    assertEquals(0, cudaFree(new Pointer()));
    Pointer device = allocate(64);
    assertEquals(1, cudaFree(device.withByteOffset(8)));
    assertEquals(1, cudaFree(Pointer.to(ByteBuffer.allocateDirect(8))));
    cudaPointerAttributes attributes = new cudaPointerAttributes();
    assertEquals(0, cudaPointerGetAttributes(attributes, device));
    assertArrayEquals(new int[] {2, 0}, new int[] {attributes.type, attributes.device});
    assertEquals(0, cudaPointerGetAttributes(attributes, Pointer.to(new int[1])));
    assertArrayEquals(new int[] {0, -2}, new int[] {attributes.type, attributes.device});
    Pointer locked = new Pointer();
    assertEquals(0, cudaHostAlloc(locked, 64, 7));
    assertEquals(0, cudaPointerGetAttributes(attributes, locked));
    assertEquals(1, attributes.type);
    assertEquals(1, cudaFree(locked));
    assertEquals(0, cudaFreeHost(locked));
    Pointer managed = new Pointer();
    assertEquals(1, cudaMallocManaged(managed, 64, 0));
    assertEquals(0, cudaMallocManaged(managed, 64, 2));
    assertEquals(0, cudaPointerGetAttributes(attributes, managed));
    assertEquals(3, attributes.type);
    managed.getByteBuffer(0, 64).putInt(0, 3);
    assertEquals(0, cudaFree(managed));
    long[] pitch = new long[1];
    assertEquals(0, cudaMallocPitch(new Pointer(), pitch, 1000, 4));
    assertEquals(1024, pitch[0]);
    cudaPitchedPtr box = new cudaPitchedPtr();
    assertEquals(0, cudaMalloc3D(box, new cudaExtent(100, 4, 3)));
    assertArrayEquals(new long[] {512, 100, 4}, new long[] {box.pitch, box.xsize, box.ysize});
    assertEquals(0, cudaFree(device));
    assertEquals(1, cudaFree(device));
    assertThrows(NullPointerException.class, () -> cudaMalloc(null, 4));
  }

  @Test
  @DisplayName("rows with a pitch")
  void rows() {
    Pointer device = new Pointer();
    long[] pitch = new long[1];
    assertEquals(0, cudaMallocPitch(device, pitch, 8, 3));
    assertEquals(0, cudaMemset2D(device, pitch[0], 0, pitch[0], 3));
    int[] six = {1, 2, 3, 4, 5, 6};
    assertEquals(0, cudaMemcpy2D(device, pitch[0], Pointer.to(six), 8, 8, 3, TO_DEVICE));
    int[] read = new int[6];
    assertEquals(0, cudaMemcpy2D(Pointer.to(read), 8, device, pitch[0], 8, 3, TO_HOST));
    assertArrayEquals(six, read);
    assertEquals(12, cudaMemcpy2D(Pointer.to(read), 4, device, pitch[0], 8, 3, TO_HOST));
  }

  @Test
  @DisplayName("streams, events, host functions")
  void streams() {
    assertEquals(400, cudaStreamDestroy(null));
    cudaStream_t stream = new cudaStream_t();
    assertEquals(0, cudaStreamCreateWithFlags(stream, 1));
    int[] flags = new int[1];
    assertEquals(0, cudaStreamGetFlags(stream, flags));
    assertEquals(1, flags[0]);
    cudaEvent_t start = new cudaEvent_t();
    cudaEvent_t end = new cudaEvent_t();
    assertEquals(0, cudaEventCreate(start));
    assertEquals(0, cudaEventCreate(end));
    float[] millis = {-5};
    assertEquals(400, cudaEventElapsedTime(millis, start, end));
    assertEquals(0, millis[0]);
    assertEquals(400, cudaGetLastError());
    Pointer device = allocate(1 << 20);
    assertEquals(0, cudaEventRecord(start, stream));
    assertEquals(0, cudaMemsetAsync(device, 1, 1 << 20, stream));
    assertEquals(0, cudaEventRecord(end, stream));
    assertEquals(0, cudaEventSynchronize(end));
    assertEquals(0, cudaEventElapsedTime(millis, start, end));
    assertTrue(millis[0] > 0, millis[0] + " ms");
    AtomicInteger inside = new AtomicInteger(-1);
    AtomicInteger last = new AtomicInteger(-1);
    assertEquals(
        0,
        cudaLaunchHostFunc(
            stream,
            data -> {
              inside.set(cudaMalloc(new Pointer(), 4));
              last.set(cudaGetLastError());
            },
            null));
    assertEquals(0, cudaStreamSynchronize(stream));
    assertEquals(800, inside.get());
    assertEquals(800, last.get());
    assertEquals(0, cudaGetLastError());
    assertEquals(0, cudaStreamDestroy(stream));
  }

  @Test
  @DisplayName("exceptions, those of the runtime alone")
  void exceptions() {
    JCudaDriver.setExceptionsEnabled(true);
    assertEquals(101, cudaSetDevice(99));
    JCudaDriver.setExceptionsEnabled(false);
    setExceptionsEnabled(true);
    CudaException thrown = assertThrows(CudaException.class, () -> cudaSetDevice(99));
    assertEquals("cudaErrorInvalidDevice", thrown.getMessage());
    assertEquals(0, cudaStreamQuery(null));
    setExceptionsEnabled(false);
  }
}
