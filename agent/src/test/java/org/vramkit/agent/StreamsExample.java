package org.vramkit.agent;

import static jcuda.driver.JCudaDriver.cuCtxCreate;
import static jcuda.driver.JCudaDriver.cuCtxSynchronize;
import static jcuda.driver.JCudaDriver.cuDeviceGet;
import static jcuda.driver.JCudaDriver.cuEventCreate;
import static jcuda.driver.JCudaDriver.cuEventRecord;
import static jcuda.driver.JCudaDriver.cuInit;
import static jcuda.driver.JCudaDriver.cuLaunchKernel;
import static jcuda.driver.JCudaDriver.cuMemAlloc;
import static jcuda.driver.JCudaDriver.cuMemAllocHost;
import static jcuda.driver.JCudaDriver.cuMemFree;
import static jcuda.driver.JCudaDriver.cuMemcpyDtoH;
import static jcuda.driver.JCudaDriver.cuMemcpyHtoDAsync;
import static jcuda.driver.JCudaDriver.cuMemsetD8;
import static jcuda.driver.JCudaDriver.cuModuleGetFunction;
import static jcuda.driver.JCudaDriver.cuModuleLoad;
import static jcuda.driver.JCudaDriver.cuStreamCreate;
import static jcuda.driver.JCudaDriver.cuStreamWaitEvent;
import static jcuda.driver.JCudaDriver.setExceptionsEnabled;

import java.nio.ByteOrder;
import java.util.Arrays;
import jcuda.Pointer;
import jcuda.Sizeof;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;

/** A program that copies on one stream and computes on another one, with or without an event. */
final class StreamsExample {
  private static final int N = 1024;

  private StreamsExample() {}

  public static void main(String[] arguments) {
    System.out.println(run(arguments[0], arguments[1].equals("ordered"))[0]);
  }

  static float[] run(String module, boolean ordered) {
    setExceptionsEnabled(true);
    cuInit(0);
    CUdevice device = new CUdevice();
    cuDeviceGet(device, 0);
    cuCtxCreate(new CUcontext(), 0, device);
    CUmodule loaded = new CUmodule();
    cuModuleLoad(loaded, module);
    CUfunction function = new CUfunction();
    cuModuleGetFunction(function, loaded, "add");
    CUstream copying = stream();
    CUstream computing = stream();
    long bytes = (long) N * Sizeof.FLOAT;
    CUdeviceptr values = new CUdeviceptr();
    cuMemAlloc(values, bytes);
    CUdeviceptr sum = new CUdeviceptr();
    cuMemAlloc(sum, bytes);
    cuMemsetD8(sum, (byte) 0, bytes);
    Pointer host = new Pointer();
    cuMemAllocHost(host, bytes);
    float[] ones = new float[N];
    Arrays.fill(ones, 1);
    host.getByteBuffer(0, bytes).order(ByteOrder.nativeOrder()).asFloatBuffer().put(ones);
    cuCtxSynchronize();

    cuMemcpyHtoDAsync(values, host, bytes, copying);
    if (ordered) {
      CUevent copied = new CUevent();
      cuEventCreate(copied, 0);
      cuEventRecord(copied, copying);
      cuStreamWaitEvent(computing, copied, 0);
    }
    Pointer parameters =
        Pointer.to(
            Pointer.to(new int[] {N}), Pointer.to(values), Pointer.to(values), Pointer.to(sum));
    launch(function, computing, parameters);
    cuCtxSynchronize();
    float[] result = new float[N];
    cuMemcpyDtoH(Pointer.to(result), sum, bytes);
    cuMemFree(values);
    cuMemFree(sum);
    return result;
  }

  private static void launch(CUfunction function, CUstream stream, Pointer parameters) {
    cuLaunchKernel(function, N / 256, 1, 1, 256, 1, 1, 0, stream, parameters, null); // launch
  }

  private static CUstream stream() {
    CUstream stream = new CUstream();
    cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING);
    return stream;
  }
}
