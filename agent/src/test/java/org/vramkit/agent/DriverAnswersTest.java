package org.vramkit.agent;

import static jcuda.driver.JCudaDriver.*;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import jcuda.CudaException;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUmodule;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.JITOptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@SimulatedCuda
@DisplayName("JCuda's driver class answers as on an H200:")
class DriverAnswersTest extends DriverProgram {
  @Test
  @DisplayName("null arguments")
  void nulls() {
    assertNull("dptr", "cuMemAlloc", () -> cuMemAlloc(null, 4));
    assertNull("srcHost", "cuMemcpyHtoD", () -> cuMemcpyHtoD(d, null, 4));
    assertNull("dstHost", "cuMemcpyDtoH", () -> cuMemcpyDtoH(null, d, 4));
    assertNull("dstDevice", "cuMemcpyHtoD", () -> cuMemcpyHtoD(null, Pointer.to(new int[1]), 4));
    assertNull("hfunc", "cuModuleGetFunction", () -> cuModuleGetFunction(null, module(), "add"));
    assertNull("count", "cuDeviceGetCount", () -> cuDeviceGetCount(null));
    assertNull("pctx", "cuCtxCreate", () -> cuCtxCreate(null, 0, device()));
    assertNull("hEvent", "cuEventRecord", () -> cuEventRecord(null, null));
    assertNull("ctx", "cuCtxSetCurrent", () -> cuCtxSetCurrent(null));
    assertNull("pCopy", "cuMemcpy2D", () -> cuMemcpy2D(null));
    assertEquals(400, cuStreamDestroy(null));
    assertEquals(1, cuMemcpyHtoD(d, new Pointer(), 4));
    // The first of several, before any result is written.
    assertNull("pctx", "cuCtxCreate", () -> cuCtxCreate(null, 0, null));
    int[] kept = {-7};
    assertNull("dev", "cuDeviceGetAttribute", () -> cuDeviceGetAttribute(kept, 1, null));
    assertEquals(-7, kept[0]);
  }

  @Test
  @DisplayName("exceptions and names of statuses")
  void exceptions() {
    assertEquals(1, cuMemAlloc(new CUdeviceptr(), 0));
    setExceptionsEnabled(true);
    List<String> thrown =
        List.<Runnable>of(
                () -> cuMemAlloc(new CUdeviceptr(), 0),
                () -> cuDeviceGet(new CUdevice(), 99),
                () -> cuModuleLoad(new CUmodule(), "missing.ptx"),
                () -> cuModuleLoadData(new CUmodule(), "garbage"))
            .stream()
            .map(call -> assertThrows(CudaException.class, call::run).getMessage())
            .toList();
    assertEquals(
        List.of(
            "CUDA_ERROR_INVALID_VALUE",
            "CUDA_ERROR_INVALID_DEVICE",
            "CUDA_ERROR_FILE_NOT_FOUND",
            "CUDA_ERROR_INVALID_IMAGE"),
        thrown);
    String[] name = new String[1];
    assertEquals(0, cuGetErrorName(1, name));
    assertEquals("CUDA_ERROR_INVALID_VALUE", name[0]);
    assertEquals(0, cuGetErrorString(700, name));
    assertEquals("an illegal memory access was encountered", name[0]);
  }

  @Test
  @DisplayName("calls before cuInit, and without a context")
  void before() {
    CudaProcess.get().initialized = false;
    assertEquals(3, cuMemAlloc(new CUdeviceptr(), 4));
    assertEquals(3, cuCtxCreate(new CUcontext(), 0, device0()));
    assertEquals(0, cuInit(0));
    assertEquals(0, cuCtxPopCurrent(new CUcontext()));
    assertEquals(201, cuCtxPopCurrent(new CUcontext()));
    assertEquals(201, cuCtxGetDevice(new CUdevice()));
    assertEquals(201, cuCtxSynchronize());
    assertEquals(1, cuCtxPushCurrent(new CUcontext()));
    assertEquals(201, cuStreamCreate(new CUstream(), 0));
    assertEquals(201, cuEventCreate(new CUevent(), 0));
    assertEquals(201, cuModuleLoadData(new CUmodule(), "garbage"));
  }

  private static CUcontext current() {
    CUcontext context = new CUcontext();
    assertEquals(0, cuCtxGetCurrent(context));
    return context;
  }

  private static CUdevice device0() {
    return new CUdevice();
  }

  @Test
  @DisplayName("figures of the device")
  void figures() {
    byte[] name = new byte[20];
    assertEquals(0, cuDeviceGetName(name, 20, device()));
    assertEquals("NVIDIA H200" + "\0".repeat(9), new String(name, StandardCharsets.US_ASCII));
    int[] warp = {7, 7};
    int attribute = CUdevice_attribute.CU_DEVICE_ATTRIBUTE_WARP_SIZE;
    assertEquals(0, cuDeviceGetAttribute(warp, attribute, device()));
    assertArrayEquals(new int[] {32, 7}, warp);
    assertEquals(1, cuDeviceGetAttribute(warp, 9999, device()));
    int[] version = new int[1];
    assertEquals(0, cuDriverGetVersion(version));
    assertEquals(13_000, version[0]);
    assertEquals(0, cuCtxGetApiVersion(current(), version));
    assertEquals(3020, version[0]);
    String[] bus = new String[1];
    assertEquals(1, cuDeviceGetPCIBusId(bus, 5, device()));
    assertEquals(1, cuDeviceGetByPCIBusId(device(), "x"));
  }

  @Test
  @DisplayName("occupancy")
  void occupancy() {
    CUfunction add = function("store");
    int[] blocks = {-1, -1};
    assertEquals(0, cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, add, 256, 0));
    assertArrayEquals(new int[] {8, -1}, blocks);
    assertEquals(1, cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, add, 0, 0));
    assertEquals(0, cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, add, 33, 100_000));
    assertEquals(0, blocks[0]);
    int[] threads = new int[1];
    assertEquals(0, cuOccupancyMaxPotentialBlockSize(blocks, threads, add, null, 0, 0));
    assertArrayEquals(new int[] {264, 1024}, new int[] {blocks[0], threads[0]});
    assertEquals(0, cuOccupancyMaxPotentialBlockSize(blocks, threads, add, null, 0, 100));
    assertArrayEquals(new int[] {4224, 64}, new int[] {blocks[0], threads[0]});
  }

  @Test
  @DisplayName("parameters of launches")
  void parameters() {
    assertEquals(0, store(Pointer.to(d), Pointer.to(new int[] {5})));
    assertEquals(0, store(Pointer.to(d.withByteOffset(8)), Pointer.to(new long[] {6})));
    Pointer second = Pointer.to(new int[] {1, 2, 3}).withByteOffset(4);
    assertEquals(0, store(Pointer.to(d.withByteOffset(4)), second));
    Pointer listed = Pointer.to(new CUdeviceptr(), d.withByteOffset(12)).withByteOffset(8);
    int[] changed = {70};
    assertEquals(0, store(listed, Pointer.to(changed), Pointer.to(changed)));
    changed[0] = 71;
    assertArrayEquals(new int[] {5, 2, 6, 70}, slots());
    ByteBuffer packed = ByteBuffer.allocateDirect(12).order(ByteOrder.nativeOrder());
    packed.putInt(8, 44);
    Pointer extra =
        Pointer.to(
            CU_LAUNCH_PARAM_BUFFER_POINTER,
            Pointer.to(packed),
            CU_LAUNCH_PARAM_BUFFER_SIZE,
            Pointer.to(new long[] {12}),
            CU_LAUNCH_PARAM_END);
    packed.putLong(0, JCudaArguments.number(d));
    assertEquals(0, cuLaunchKernel(function("store"), 1, 1, 1, 1, 1, 1, 0, null, null, extra));
    assertEquals(44, slots()[0]);
    CUfunction count = function("count");
    assertEquals(0, cuLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, null, null, null));
    assertEquals(1, cuLaunchKernel(count, 0, 1, 1, 1, 1, 1, 0, null, null, null));
    assertEquals(1, cuLaunchKernel(count, 1, 1, 1, 1025, 1, 1, 0, null, null, null));
    assertEquals(1, cuLaunchKernel(count, 1, 1, 1, 1, 1, 1, 49_153, null, null, null));
  }

  @Test
  @DisplayName("a list of parameters that does not fit is an error with the signature")
  void wrongLists() {
    for (Pointer[] list :
        List.of(
            new Pointer[] {d, Pointer.to(new int[1])},
            new Pointer[] {Pointer.to(d)},
            new Pointer[] {Pointer.to(d), null},
            new Pointer[] {Pointer.to(d), Pointer.to(new byte[3])})) {
      IllegalArgumentException wrong =
          assertThrows(IllegalArgumentException.class, () -> store(list));
      assertTrue(wrong.toString().contains("store(.u64 target, .u32 value)"), wrong.toString());
    }
  }

  @Test
  @DisplayName("launches as before CUDA 4")
  @SuppressWarnings("deprecation")
  void older() {
    CUfunction store = function("store");
    assertEquals(0, cuFuncSetBlockShape(store, 1, 1, 1));
    assertEquals(0, cuParamSetv(store, 0, Pointer.to(d), 8));
    assertEquals(0, cuParamSeti(store, 8, 12));
    assertEquals(0, cuParamSetSize(store, 12));
    assertEquals(0, cuLaunchGrid(store, 1, 1));
    assertEquals(12, slots()[0]);
  }

  @Test
  @DisplayName("modules, variables and the compiler's log")
  void modules() throws java.io.IOException {
    CUmodule module = module();
    long[] bytes = new long[1];
    CUdeviceptr factor = new CUdeviceptr();
    assertEquals(0, cuModuleGetGlobal(factor, bytes, module, "factor"));
    assertEquals(4, bytes[0]);
    float[] value = new float[1];
    assertEquals(0, cuMemcpyDtoH(Pointer.to(value), factor, 4));
    assertEquals(2, value[0]);
    assertEquals(500, cuModuleGetGlobal(factor, bytes, module, "missing"));
    assertEquals(500, cuModuleGetFunction(new CUfunction(), module, "missing"));
    byte[] image = Files.readAllBytes(Path.of(VectorAddTest.ptx()));
    assertEquals(0, cuModuleLoadData(new CUmodule(), Arrays.copyOf(image, image.length + 1)));
    assertEquals(1, cuModuleLoad(new CUmodule(), ""));
    JITOptions options = new JITOptions();
    options.putBytes(5, new byte[2048]);
    options.putInt(6, 2048);
    Pointer wrong = Pointer.to("foo\0".getBytes(StandardCharsets.US_ASCII));
    int status = cuModuleLoadDataJIT(new CUmodule(), wrong, options);
    assertTrue(status == 200 || status == 218, "status " + status);
    assertEquals(0, cuModuleUnload(module));
    assertEquals(400, cuModuleUnload(module));
  }

  @Test
  @DisplayName("options of the compiler: the last that JCuda knows, others, and a target")
  void options() {
    assertEquals(0, loadWith(14, 1));
    assertEquals(0x8000_0001, loadWith(15, 1));
    assertEquals(200, loadWith(9, 90));
  }

  private static int loadWith(int option, int value) {
    JITOptions options = new JITOptions();
    options.putInt(option, value);
    byte[] image = (Answer.ptx() + "\0").getBytes(StandardCharsets.US_ASCII);
    return cuModuleLoadDataJIT(new CUmodule(), Pointer.to(image), options);
  }

  @Test
  @DisplayName("streams, events and their times")
  void events() {
    CUevent start = new CUevent();
    CUevent end = new CUevent();
    assertEquals(0, cuEventCreate(start, 0));
    assertEquals(0, cuEventCreate(end, 0));
    float[] millis = {-5, -5};
    assertEquals(400, cuEventElapsedTime(millis, start, end));
    assertArrayEquals(new float[] {0, -5}, millis);
    assertEquals(0, cuEventQuery(start));
    assertEquals(0, cuEventRecord(start, null));
    assertEquals(0, cuMemsetD8Async(d, (byte) 1, BYTES, null));
    assertEquals(0, cuEventRecord(end, null));
    assertEquals(0, cuEventSynchronize(end));
    assertEquals(0, cuEventElapsedTime(millis, start, end));
    assertTrue(millis[0] > 0 && millis[0] < 1, millis[0] + " ms");
    assertEquals(0, cuEventElapsedTime(millis, start, start));
    assertEquals(0, millis[0]);
    assertEquals(1, cuEventCreate(new CUevent(), 0x100));
    assertEquals(1, cuEventCreate(new CUevent(), 4));
    CUstream stream = new CUstream();
    assertEquals(0, cuStreamCreate(stream, 1));
    int[] flags = new int[1];
    assertEquals(0, cuStreamGetFlags(stream, flags));
    assertEquals(1, flags[0]);
    assertEquals(0, cuStreamDestroy(stream));
    assertEquals(400, cuStreamQuery(stream));
  }

  @Test
  @DisplayName("host functions, which may call almost nothing")
  void hostFunctions() {
    CUstream stream = new CUstream();
    assertEquals(0, cuStreamCreate(stream, 1));
    AtomicInteger status = new AtomicInteger(-1);
    assertEquals(
        0, cuLaunchHostFunc(stream, data -> status.set(cuMemAlloc((CUdeviceptr) data, 4)), d));
    assertEquals(0, cuStreamSynchronize(stream));
    assertEquals(800, status.get());
    assertEquals(0, cuStreamAddCallback(stream, (on, code, data) -> status.set(code), null, 0));
    assertEquals(0, cuStreamSynchronize(stream));
    assertEquals(0, status.get());
    assertEquals(1, cuStreamAddCallback(stream, (on, code, data) -> {}, null, 1));
    assertNull("callback", "cuStreamAddCallback", () -> cuStreamAddCallback(stream, null, null, 0));
  }

  @Test
  @DisplayName("a captured graph")
  void graphs() {
    CUstream stream = new CUstream();
    assertEquals(0, cuStreamCreate(stream, 1));
    cuCtxSynchronize();
    assertEquals(1, cuStreamBeginCapture(stream, 7));
    assertEquals(0, cuStreamBeginCapture(stream, 0));
    assertEquals(0, cuMemsetD8Async(d, (byte) 3, 4, stream));
    CUgraph graph = new CUgraph();
    assertEquals(0, cuStreamEndCapture(stream, graph));
    assertEquals(0, slots()[0]);
    CUgraphExec executable = new CUgraphExec();
    assertEquals(0, cuGraphInstantiate(executable, graph, 0));
    assertEquals(0, cuGraphLaunch(executable, stream));
    assertEquals(0, cuStreamSynchronize(stream));
    assertEquals(0x3030303, slots()[0]);
    assertEquals(0, cuGraphDestroy(graph));
    assertEquals(0, cuGraphExecDestroy(executable));
  }

  @Test
  @DisplayName("the primary context")
  void primary() {
    CUcontext one = new CUcontext();
    CUcontext other = new CUcontext();
    assertEquals(201, cuDevicePrimaryCtxRelease(device()));
    assertEquals(0, cuDevicePrimaryCtxReset(device()));
    assertEquals(0, cuDevicePrimaryCtxRetain(one, device()));
    assertEquals(0, cuDevicePrimaryCtxRetain(other, device()));
    assertEquals(one, other);
    int[] flags = new int[1];
    int[] active = new int[1];
    assertEquals(0, cuDevicePrimaryCtxRelease(device()));
    assertEquals(0, cuDevicePrimaryCtxGetState(device(), flags, active));
    assertEquals(1, active[0]);
    assertEquals(0, cuDevicePrimaryCtxRelease(device()));
    assertEquals(0, cuDevicePrimaryCtxGetState(device(), flags, active));
    assertEquals(0, active[0]);
    assertFalse(CUresult.stringFor(active[0]).isEmpty());
  }
}
