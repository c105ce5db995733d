package org.vramkit.agent;

import static jcuda.driver.JCudaDriver.cuCtxCreate;
import static jcuda.driver.JCudaDriver.cuCtxDestroy;
import static jcuda.driver.JCudaDriver.cuCtxSynchronize;
import static jcuda.driver.JCudaDriver.cuDeviceGet;
import static jcuda.driver.JCudaDriver.cuInit;
import static jcuda.driver.JCudaDriver.cuLaunchKernel;
import static jcuda.driver.JCudaDriver.cuMemAlloc;
import static jcuda.driver.JCudaDriver.cuMemFree;
import static jcuda.driver.JCudaDriver.cuMemcpyDtoH;
import static jcuda.driver.JCudaDriver.cuMemcpyHtoD;
import static jcuda.driver.JCudaDriver.cuModuleGetFunction;
import static jcuda.driver.JCudaDriver.cuModuleLoad;
import static jcuda.driver.JCudaDriver.setExceptionsEnabled;

import jcuda.Pointer;
import jcuda.Sizeof;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;

/** A program that adds vectors through JCuda, and knows nothing of Vramkit. */
final class VectorAddExample {
  private static final int THREADS = 256;

  private VectorAddExample() {}

  public static void main(String[] arguments) {
    int n = 100_000;
    float[] a = new float[n];
    float[] b = new float[n];
    for (int i = 0; i < n; i++) {
      a[i] = i;
      b[i] = 2 * i;
    }
    float[] sum = add(arguments[0], a, b);
    for (int i = 0; i < n; i++) {
      if (sum[i] != a[i] + b[i]) {
        throw new AssertionError("element " + i + " is " + sum[i]);
      }
    }
    System.out.println("Test PASSED");
  }

  private static float[] add(String module, float[] a, float[] b) {
    setExceptionsEnabled(true);
    cuInit(0);
    CUdevice device = new CUdevice();
    cuDeviceGet(device, 0);
    CUcontext context = new CUcontext();
    cuCtxCreate(context, 0, device);
    CUmodule loaded = new CUmodule();
    cuModuleLoad(loaded, module);
    CUfunction function = new CUfunction();
    cuModuleGetFunction(function, loaded, "add");
    int n = a.length;
    CUdeviceptr deviceA = copy(a);
    CUdeviceptr deviceB = copy(b);
    CUdeviceptr deviceSum = new CUdeviceptr();
    cuMemAlloc(deviceSum, (long) n * Sizeof.FLOAT);
    Pointer parameters =
        Pointer.to(
            Pointer.to(new int[] {n}),
            Pointer.to(deviceA),
            Pointer.to(deviceB),
            Pointer.to(deviceSum));
    int blocks = (n + THREADS - 1) / THREADS;
    cuLaunchKernel(function, blocks, 1, 1, THREADS, 1, 1, 0, null, parameters, null);
    cuCtxSynchronize();
    float[] sum = new float[n];
    cuMemcpyDtoH(Pointer.to(sum), deviceSum, (long) n * Sizeof.FLOAT);
    cuMemFree(deviceA);
    cuMemFree(deviceB);
    cuMemFree(deviceSum);
    cuCtxDestroy(context);
    return sum;
  }

  private static CUdeviceptr copy(float[] values) {
    CUdeviceptr pointer = new CUdeviceptr();
    long bytes = (long) values.length * Sizeof.FLOAT;
    cuMemAlloc(pointer, bytes);
    cuMemcpyHtoD(pointer, Pointer.to(values), bytes);
    return pointer;
  }
}
