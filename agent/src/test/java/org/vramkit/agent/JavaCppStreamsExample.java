package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.PointerPointer;

/**
 * A JavaCPP program that copies on one stream and computes on another, with or without an event.
 */
final class JavaCppStreamsExample {
  private static final int N = 1024;

  private JavaCppStreamsExample() {}

  static float run(String module, boolean ordered) throws IOException {
    check(cudaSetDevice(0));
    CUmod_st loaded = new CUmod_st();
    check(cuModuleLoadData(loaded, new BytePointer(Files.readString(Path.of(module)))));
    CUfunc_st add = new CUfunc_st();
    check(cuModuleGetFunction(add, loaded, "add"));
    CUstream_st copying = stream();
    CUstream_st computing = stream();
    long bytes = (long) N * Float.BYTES;
    FloatPointer host = new FloatPointer();
    check(cudaMallocHost(host, bytes));
    host.capacity(N);
    for (int i = 0; i < N; i++) {
      host.put(i, i);
    }
    FloatPointer values = new FloatPointer();
    check(cudaMalloc(values, bytes));
    FloatPointer sum = new FloatPointer();
    check(cudaMalloc(sum, bytes));
    check(cudaMemcpyAsync(values, host, bytes, cudaMemcpyHostToDevice, copying));
    CUevent_st copied = new CUevent_st();
    check(cudaEventCreateWithFlags(copied, cudaEventDisableTiming));
    check(cudaEventRecord(copied, copying));
    if (ordered) {
      check(cudaStreamWaitEvent(computing, copied));
    }
    PointerPointer<?> parameters =
        new PointerPointer<>(
            new IntPointer(new int[] {N}),
            new LongPointer(new long[] {values.address()}),
            new LongPointer(new long[] {values.address()}),
            new LongPointer(new long[] {sum.address()}));
    check(cuLaunchKernel(add, N / 256, 1, 1, 256, 1, 1, 0, computing, parameters, null)); // launch
    check(cudaMemcpyAsync(host, sum, bytes, cudaMemcpyDeviceToHost, computing));
    check(cudaDeviceSynchronize());
    float last = host.get(N - 1);
    check(cudaFree(values));
    check(cudaFree(sum));
    check(cudaFreeHost(host));
    return last;
  }

  private static CUstream_st stream() {
    CUstream_st stream = new CUstream_st();
    check(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
    return stream;
  }

  private static void check(int status) {
    if (status != 0) {
      throw new IllegalStateException(cudaGetErrorName(status).getString());
    }
  }
}
