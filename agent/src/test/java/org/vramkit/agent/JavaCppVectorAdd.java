package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.CUDA_SUCCESS;
import static org.bytedeco.cuda.global.cudart.cuCtxCreate;
import static org.bytedeco.cuda.global.cudart.cuCtxDestroy;
import static org.bytedeco.cuda.global.cudart.cuDeviceGet;
import static org.bytedeco.cuda.global.cudart.cuEventCreate;
import static org.bytedeco.cuda.global.cudart.cuEventDestroy;
import static org.bytedeco.cuda.global.cudart.cuEventElapsedTime;
import static org.bytedeco.cuda.global.cudart.cuEventRecord;
import static org.bytedeco.cuda.global.cudart.cuEventSynchronize;
import static org.bytedeco.cuda.global.cudart.cuInit;
import static org.bytedeco.cuda.global.cudart.cuLaunchKernel;
import static org.bytedeco.cuda.global.cudart.cuMemAlloc;
import static org.bytedeco.cuda.global.cudart.cuMemFree;
import static org.bytedeco.cuda.global.cudart.cuMemcpyDtoH;
import static org.bytedeco.cuda.global.cudart.cuMemcpyHtoD;
import static org.bytedeco.cuda.global.cudart.cuModuleGetFunction;
import static org.bytedeco.cuda.global.cudart.cuModuleLoadData;
import static org.bytedeco.cuda.global.cudart.cuModuleUnload;
import static org.bytedeco.cuda.global.cudart.cuStreamCreate;
import static org.bytedeco.cuda.global.cudart.cuStreamDestroy;
import static org.bytedeco.cuda.global.cudart.cuStreamSynchronize;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.bytedeco.cuda.cudart.CUctx_st;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;

/** A program that adds vectors through JavaCPP, and knows nothing of Vramkit. */
final class JavaCppVectorAdd {
  private static final int THREADS = 256;

  private JavaCppVectorAdd() {}

  public static void main(String[] arguments) throws IOException {
    int n = 100_000;
    float[] a = new float[n];
    float[] b = new float[n];
    for (int i = 0; i < n; i++) {
      a[i] = i;
      b[i] = 2 * i;
    }
    float[] sum = add(Files.readString(Path.of(arguments[0])), a, b);
    for (int i = 0; i < n; i++) {
      if (sum[i] != a[i] + b[i]) {
        throw new AssertionError("element " + i + " is " + sum[i]);
      }
    }
    System.out.println("Test PASSED");
  }

  private static float[] add(String ptx, float[] a, float[] b) {
    check(cuInit(0));
    int[] device = new int[1];
    check(cuDeviceGet(device, 0));
    CUctx_st context = new CUctx_st();
    check(cuCtxCreate(context, null, 0, device[0]));
    CUmod_st module = new CUmod_st();
    check(cuModuleLoadData(module, new BytePointer(ptx)));
    CUfunc_st function = new CUfunc_st();
    check(cuModuleGetFunction(function, module, "add"));
    CUstream_st stream = new CUstream_st();
    check(cuStreamCreate(stream, 0));
    int n = a.length;
    long bytes = (long) n * Float.BYTES;
    long deviceA = copy(a, bytes);
    long deviceB = copy(b, bytes);
    long[] deviceSum = new long[1];
    check(cuMemAlloc(deviceSum, bytes));
    CUevent_st start = new CUevent_st();
    CUevent_st end = new CUevent_st();
    check(cuEventCreate(start, 0));
    check(cuEventCreate(end, 0));
    PointerPointer<Pointer> parameters =
        new PointerPointer<>(
            new IntPointer(new int[] {n}),
            new LongPointer(new long[] {deviceA}),
            new LongPointer(new long[] {deviceB}),
            new LongPointer(new long[] {deviceSum[0]}));
    int blocks = (n + THREADS - 1) / THREADS;
    check(cuEventRecord(start, stream));
    check(cuLaunchKernel(function, blocks, 1, 1, THREADS, 1, 1, 0, stream, parameters, null));
    check(cuEventRecord(end, stream));
    check(cuEventSynchronize(end));
    float[] millis = new float[1];
    check(cuEventElapsedTime(millis, start, end));
    System.out.println(millis[0] > 0 ? "some time has passed" : "no time has passed");
    FloatPointer sum = new FloatPointer(n);
    check(cuMemcpyDtoH(sum, deviceSum[0], bytes));
    check(cuStreamSynchronize(stream));
    check(cuEventDestroy(start));
    check(cuEventDestroy(end));
    check(cuStreamDestroy(stream));
    check(cuMemFree(deviceA));
    check(cuMemFree(deviceB));
    check(cuMemFree(deviceSum[0]));
    check(cuModuleUnload(module));
    check(cuCtxDestroy(context));
    float[] values = new float[n];
    sum.get(values);
    return values;
  }

  private static long copy(float[] values, long bytes) {
    long[] pointer = new long[1];
    check(cuMemAlloc(pointer, bytes));
    check(cuMemcpyHtoD(pointer[0], new FloatPointer(values), bytes));
    return pointer[0];
  }

  private static void check(int status) {
    if (status != CUDA_SUCCESS) {
      throw new IllegalStateException("status " + status);
    }
  }
}
