package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.cuda.cudart.CUctx_st;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUlaunchConfig;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.cudart.cudaLaunchConfig_t;
import org.bytedeco.cuda.cudart.cudaMemcpy3DParms;
import org.bytedeco.cuda.cudart.cudaPointerAttributes;
import org.bytedeco.cuda.cudart.dim3;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Answers of JavaCPP 1.5.13 with the presets 13.1-9.19 on an H200 with driver 580. */
@SimulatedCuda
@DisplayName("JavaCPP's class cudart answers as on an H200:")
class JavaCppAnswersTest {
  private final float[] out = new float[8];

  private static FloatPointer counting(int count) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = i;
    }
    return new FloatPointer(values);
  }

  private static FloatPointer device(int floats) {
    FloatPointer pointer = new FloatPointer((Pointer) null);
    assertEquals(0, cudaMalloc(pointer, (long) floats * Float.BYTES));
    assertEquals(0, cudaMemset(pointer, 0, (long) floats * Float.BYTES));
    return pointer;
  }

  private float[] read(Pointer device, int floats) {
    FloatPointer host = new FloatPointer(floats);
    assertEquals(0, cudaMemcpy(host, device, (long) floats * Float.BYTES, cudaMemcpyDeviceToHost));
    host.get(out, 0, floats);
    return out;
  }

  @BeforeEach
  void initialize() {
    assertEquals(0, cudaFree(null));
  }

  @Test
  @DisplayName("addresses as results")
  void results() {
    Pointer plain = new Pointer();
    assertEquals(0, cudaMalloc(plain, 64));
    assertFalse(plain.isNull());
    assertEquals(0, plain.capacity());
    FloatPointer owner = new FloatPointer(4);
    long before = owner.address();
    assertEquals(0, cudaMalloc(owner, 64));
    assertNotEquals(before, owner.address());
    assertEquals(4, owner.limit());
    assertTrue(owner.toString().contains("NativeDeallocator"), owner.toString());
    FloatPointer shifted = new FloatPointer((Pointer) null).position(2);
    assertEquals(0, cudaMalloc(shifted, 64));
    assertEquals(510, shifted.address() % 512);
    cudaPointerAttributes attributes = new cudaPointerAttributes();
    assertEquals(0, cudaPointerGetAttributes(attributes, shifted));
    assertEquals(2, attributes.devicePointer().address() - shifted.address());
    PointerPointer<Pointer> list = new PointerPointer<>(3);
    list.put(0, new Pointer()).put(1, new Pointer()).put(2, new Pointer());
    assertEquals(0, cudaMalloc(list.position(1), 64));
    list.position(0);
    assertNull(list.get(0));
    assertFalse(list.get(1).isNull());
    assertNull(list.get(2));
    Pointer refused = new Pointer();
    assertEquals(2, cudaMalloc(refused, 1L << 50));
    assertTrue(refused.isNull());
    assertEquals(2, cudaGetLastError());
    assertEquals(2, cudaMalloc(refused, -1));
    assertEquals(0, cudaFree(plain));
    assertFalse(plain.isNull());
    assertEquals(1, cudaFree(plain));
    assertEquals(1, cudaGetLastError());
  }

  @Test
  @DisplayName("null arguments")
  void nulls() {
    FloatPointer device = device(4);
    assertEquals(1, cudaMemcpy(device, null, 4, cudaMemcpyHostToDevice));
    assertEquals(1, cudaMemcpy(device, new FloatPointer(), 4, cudaMemcpyHostToDevice));
    assertEquals(1, cudaMalloc((Pointer) null, 4));
    assertEquals(1, cudaMalloc((PointerPointer<?>) null, 4));
    assertEquals(0, cudaFree(new Pointer()));
    assertEquals(1, cudaGetDeviceCount((int[]) null));
    assertEquals(1, cudaGetDeviceCount((IntBuffer) null));
    assertEquals(1, cudaGetDeviceCount((IntPointer) null));
    assertEquals(1, cudaGetLastError());
    assertEquals(400, cudaStreamDestroy(null));
    assertEquals(400, cudaEventRecord(null, null));
    assertEquals(1, cudaPointerGetAttributes(null, device));
  }

  @Test
  @DisplayName("a position counts in bytes where C takes void *")
  void positions() {
    FloatPointer device = device(8);
    FloatPointer values = counting(8);
    assertEquals(0, cudaMemcpy(device, values.position(2), 8, cudaMemcpyHostToDevice));
    assertEquals(0f, read(device, 2)[0]);
    assertEquals(2.278E-41f, out[1]);
    FloatPointer two = new FloatPointer(0f, 1f);
    assertEquals(0, cudaMemset(device, 0, 32));
    assertEquals(0, cudaMemcpy(device.position(4), two, 8, cudaMemcpyHostToDevice));
    device.position(0);
    assertEquals(0f, read(device, 6)[4]);
    assertEquals(1f, out[2]);
    assertEquals(0, cudaMemcpy(device.getPointer(6), two.getPointer(1), 4, cudaMemcpyHostToDevice));
    assertEquals(1f, read(device, 7)[6]);
    cudaPointerAttributes attributes = new cudaPointerAttributes();
    assertEquals(0, cudaPointerGetAttributes(attributes, device.position(3)));
    assertEquals(2, attributes.type());
    assertEquals(3, attributes.devicePointer().address() - device.address());
    assertNull(attributes.hostPointer());
    FloatPointer heap = new FloatPointer(FloatBuffer.wrap(new float[] {7, 8}));
    assertEquals(0, cudaMemcpy(device.position(0), heap, 8, cudaMemcpyHostToDevice));
    assertEquals(8f, read(device, 2)[1]);
    assertEquals(
        0, cudaMemcpy(device.limit(1), values.position(0).limit(1), 32, cudaMemcpyHostToDevice));
  }

  private static CUfunc_st function(String name) throws IOException {
    CUmod_st module = new CUmod_st();
    String ptx = Files.readString(Path.of(VectorAddTest.ptx()));
    BytePointer image = new BytePointer(ptx + "   ");
    assertEquals(0, cuModuleLoadData(module, image.limit(ptx.length())));
    CUfunc_st function = new CUfunc_st();
    assertEquals(0, cuModuleGetFunction(function, module, new BytePointer(name)));
    assertEquals(500, cuModuleGetFunction(new CUfunc_st(), module, "missing"));
    return function;
  }

  private static int store(
      CUfunc_st store, @Nullable PointerPointer<?> list, @Nullable CUstream_st stream) {
    return cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, stream, list, null);
  }

  @Test
  @DisplayName("parameters of a launch")
  void launches() throws IOException {
    CUfunc_st store = function("store");
    IntPointer slot = new IntPointer((Pointer) null);
    assertEquals(0, cudaMalloc(slot, 4));
    LongPointer address = new LongPointer(new long[] {slot.address()});
    IntPointer values = new IntPointer(0x03020100, 0x07060504);
    assertEquals(0, store(store, new PointerPointer<>(address, values.position(1)), null));
    assertEquals(0x04030201, Float.floatToRawIntBits(read(slot, 1)[0]));
    values.position(0);
    assertEquals(0, store(store, new PointerPointer<>(address, values, values), null));
    assertEquals(0x03020100, Float.floatToRawIntBits(read(slot, 1)[0]));
    PointerPointer<Pointer> four =
        new PointerPointer<>(address, new IntPointer(new int[] {5}), address, values.put(7));
    assertEquals(0, store(store, four.position(2), null));
    assertEquals(7, Float.floatToRawIntBits(read(slot, 1)[0]));
    assertEquals(0, store(store, four, CU_STREAM_PER_THREAD));
    CUfunc_st count = function("count");
    assertEquals(0, store(count, null, null));
    assertEquals(
        1, cuLaunchKernel(count, 0, 1, 1, 1, 1, 1, 0, null, new PointerPointer<>(1), null));
    dim3 one = new dim3();
    assertEquals(0, cudaLaunchKernel(store, one, one, four, 0, null));
    assertEquals(1, cudaLaunchKernel(store, new dim3(0, 1, 1), one, four, 0, null));
    assertEquals(1, cudaGetLastError());
    CUlaunchConfig config = new CUlaunchConfig();
    config.gridDimX(1).gridDimY(1).gridDimZ(1).blockDimX(1).blockDimY(1).blockDimZ(1);
    assertEquals(0, cuLaunchKernelEx(config, store, four, null));
    cudaLaunchConfig_t extents = new cudaLaunchConfig_t();
    extents.gridDim(one).blockDim(one);
    assertEquals(0, cudaLaunchKernelExC(extents, store, four));
    PointerPointer<Pointer> wrong = new PointerPointer<>(slot, values);
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> store(store, wrong, null));
    assertTrue(refused.toString().contains("no memory of the host"), refused.toString());
    assertTrue(refused.toString().contains("store(.u64 target"), refused.toString());
  }

  @Test
  @DisplayName("logs of the compiler")
  void logs() {
    BytePointer log = new BytePointer(1024);
    PointerPointer<Pointer> values = new PointerPointer<>(2);
    values.put(0, log);
    new LongPointer(values).put(1, 1024);
    CUmod_st module = new CUmod_st();
    BytePointer image = new BytePointer("//\n.version 8.0\n.target sm_70\nfoo\n");
    assertEquals(218, cuModuleLoadDataEx(module, image, 2, new int[] {5, 6}, values));
    assertTrue(log.getString().contains("foo"), log.getString());
    assertEquals(log.getString().indexOf(0), new LongPointer(values).get(1));
    assertEquals(1024, log.getString().length());
    assertTrue(module.isNull());
  }

  @Test
  @DisplayName("host functions and callbacks run on a daemon thread, which loses exceptions")
  void callbacks() {
    CUstream_st stream = new CUstream_st();
    assertEquals(0, cudaStreamCreate(stream));
    List<Object> seen = new ArrayList<>();
    Pointer data = new IntPointer(new int[] {77});
    JavaCppCallbacks.call(stream, data, seen);
    assertEquals(List.of(true, true, true, 800), seen.subList(0, 4));
    assertEquals(List.of(true, true), seen.subList(8, 10));
    assertEquals(0, cudaGetLastError());
    assertEquals(1, cudaStreamAddCallback(stream, null, null, 0));
    assertEquals(1, cuLaunchHostFunc(stream, null, null));
  }

  @Test
  @DisplayName("copies: directions, kinds, boxes")
  void copies() {
    FloatPointer device = device(8);
    FloatPointer host = counting(8);
    assertEquals(21, cudaMemcpy(device, host, 4, 99));
    assertEquals(21, cudaGetLastError());
    assertEquals(0, cudaMemcpy(device, host, 0, 99));
    assertEquals(0, cudaMemcpy(device, host, 4, cudaMemcpyDefault));
    assertEquals(0, cudaMemcpy(host, new FloatPointer(8), 4, cudaMemcpyDefault));
    assertEquals(1, cudaMemcpy(host, device, 4, cudaMemcpyHostToDevice));
    assertEquals(1, cudaMemcpy(device, host, 4, cudaMemcpyDeviceToHost));
    assertEquals(1, cudaMemcpy(host, host, 4, cudaMemcpyHostToDevice));
    assertEquals(1, cudaMemcpy(device, host, 36, cudaMemcpyHostToDevice));
    assertEquals(0, cudaMemcpyPeer(device, 0, device.getPointer(4), 0, 8));
    assertEquals(101, cudaMemcpyPeer(device, 9, device.getPointer(4), 0, 8));
    assertEquals(0, cudaMemcpy2D(device, 8, counting(8), 16, 8, 2, cudaMemcpyHostToDevice));
    assertEquals(5f, read(device, 4)[3]);
    cudaMemcpy3DParms box = new cudaMemcpy3DParms();
    assertEquals(0, cudaMemcpy3D(box));
    box.extent(make_cudaExtent(8, 2, 1));
    assertEquals(1, cudaMemcpy3D(box));
    box.srcPtr(make_cudaPitchedPtr(counting(8), 16, 16, 2)).kind(cudaMemcpyHostToDevice);
    box.dstPtr(make_cudaPitchedPtr(device, 8, 8, 2)).srcPos(make_cudaPos(8, 0, 0));
    assertEquals(0, cudaMemcpy3D(box));
    assertEquals(2f, read(device, 4)[0]);
    assertEquals(7f, out[3]);
    box.extent().height(3);
    assertEquals(1, cudaMemcpy3D(box));
  }

  @Test
  @DisplayName("memory of the host has one address for kernels too")
  void unified() throws IOException {
    IntPointer managed = new IntPointer((Pointer) null);
    assertEquals(0, cudaMallocManaged(managed, 4, cudaMemAttachGlobal));
    LongPointer address = new LongPointer(new long[] {managed.address()});
    CUfunc_st store = function("store");
    assertEquals(
        0, store(store, new PointerPointer<>(address, new IntPointer(new int[] {6})), null));
    assertEquals(0, cudaDeviceSynchronize());
    assertEquals(6, managed.get());
    assertEquals(0, cudaFree(managed));
    FloatPointer locked = new FloatPointer((Pointer) null);
    assertEquals(0, cudaHostAlloc(locked, 64, cudaHostAllocMapped));
    locked.put(3, 4);
    Pointer mapped = new Pointer();
    assertEquals(0, cudaHostGetDevicePointer(mapped, locked, 0));
    assertEquals(locked.address(), mapped.address());
    cudaPointerAttributes attributes = new cudaPointerAttributes();
    assertEquals(0, cudaPointerGetAttributes(attributes, locked.position(5)));
    assertEquals(1, attributes.type());
    assertEquals(locked.address() + 5, attributes.hostPointer().address());
    locked.position(0);
    assertEquals(1, cudaFree(locked));
    assertEquals(0, cudaFreeHost(locked));
    assertEquals(0, cudaPointerGetAttributes(attributes, locked));
    assertEquals(0, attributes.type());
    assertEquals(-2, attributes.device());
    Pointer own = new BytePointer(4096);
    assertEquals(0, cudaHostRegister(own, 100, 0));
    assertEquals(712, cudaHostRegister(own, 100, 0));
    assertEquals(0, cudaHostUnregister(own));
    assertEquals(713, cudaHostUnregister(own));
  }

  @Test
  @DisplayName("contexts, sizes and names")
  void contexts() {
    CUctx_st context = new CUctx_st();
    assertEquals(0, cuCtxCreate(context, null, 0, 0));
    CUctx_st current = new CUctx_st();
    assertEquals(0, cuCtxGetCurrent(current));
    assertEquals(context, current);
    assertEquals(0, cuCtxDestroy(context));
    SizeTPointer free = new SizeTPointer(1);
    SizeTPointer total = new SizeTPointer(1);
    assertEquals(0, cudaMemGetInfo(free, total));
    assertTrue(free.get() > 0 && free.get() <= total.get());
    assertEquals("cudaErrorMemoryAllocation", cudaGetErrorName(2).getString());
    assertEquals("unrecognized error code", cudaGetErrorString(9999).getString());
    PointerPointer<BytePointer> name = new PointerPointer<>(1);
    assertEquals(0, cuGetErrorName(1, name));
    assertEquals("CUDA_ERROR_INVALID_VALUE", name.get(BytePointer.class, 0).getString());
    byte[] text = new byte[90];
    assertEquals(0, cuDeviceGetName(text, 90, 0));
    assertEquals("NVIDIA H200" + "\0".repeat(79), new String(text, StandardCharsets.US_ASCII));
    assertEquals(1, cudaDeviceGetPCIBusId(new byte[5], 5, 0));
    BytePointer bus = new BytePointer(40);
    assertEquals(0, cudaDeviceGetPCIBusId(bus, 40, 0));
    int[] ordinal = {-1};
    assertEquals(0, cudaDeviceGetByPCIBusId(ordinal, bus.getString()));
    assertEquals(0, ordinal[0]);
    int[] version = new int[1];
    assertEquals(0, cudaRuntimeGetVersion(version));
    assertEquals(13_000, version[0]);
  }

  @Test
  @DisplayName("a call that is not simulated is an error that names it")
  void refused() {
    assertEquals(
        "cuArrayDestroy is not simulated: CUDA arrays",
        assertThrows(UnsupportedOperationException.class, () -> cuArrayDestroy(null)).getMessage());
    assertThrows(UnsupportedOperationException.class, () -> __float2half(1));
  }
}
