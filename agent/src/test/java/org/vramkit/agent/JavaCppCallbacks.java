package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.cuLaunchHostFunc;
import static org.bytedeco.cuda.global.cudart.cudaMalloc;
import static org.bytedeco.cuda.global.cudart.cudaStreamAddCallback;
import static org.bytedeco.cuda.global.cudart.cudaStreamSynchronize;

import java.util.List;
import org.bytedeco.cuda.cudart.CUhostFn;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.cudart.cudaStreamCallback_t;
import org.bytedeco.javacpp.Pointer;

/** A program with host functions, in a class of its own because JUnit loads those of tests. */
final class JavaCppCallbacks {
  private JavaCppCallbacks() {}

  static void call(CUstream_st stream, Pointer data, List<Object> seen) {
    CUhostFn function =
        new CUhostFn() {
          @Override
          public void call(Pointer given) {
            Thread thread = Thread.currentThread();
            seen.add(thread.getName().startsWith("JavaCPP Thread ID "));
            seen.add(given.address() == data.address());
            seen.add(thread.getContextClassLoader() == null && thread.isDaemon());
            seen.add(cudaMalloc(new Pointer(), 4));
          }
        };
    check(cuLaunchHostFunc(stream, function, data));
    check(cuLaunchHostFunc(stream, function, data));
    cudaStreamCallback_t callback =
        new cudaStreamCallback_t() {
          @Override
          public void call(CUstream_st on, int status, Pointer given) {
            seen.add(stream.equals(on) && status == 0);
            seen.add(given == null);
            throw new IllegalStateException("lost");
          }
        };
    check(cudaStreamAddCallback(stream, callback, null, 0));
    check(cudaStreamSynchronize(stream));
  }

  private static void check(int status) {
    if (status != 0) {
      throw new IllegalStateException("status " + status);
    }
  }
}
