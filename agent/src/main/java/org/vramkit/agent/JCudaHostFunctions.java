package org.vramkit.agent;

import jcuda.driver.CUhostFn;
import jcuda.runtime.cudaHostFn;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.HostCallback;

/** Host functions as arguments of JCuda; the classes of these came with JCuda 10. */
@SuppressWarnings({"unused", "overloads"}) // found by their types
final class JCudaHostFunctions {
  private JCudaHostFunctions() {}

  static @Nullable HostCallback callback(@Nullable CUhostFn function) {
    return function == null
        ? null
        : (stream, data) -> JCudaArguments.call(() -> function.call(data));
  }

  static @Nullable HostCallback callback(@Nullable cudaHostFn function) {
    return function == null
        ? null
        : (stream, data) -> JCudaArguments.call(() -> function.call(data));
  }

  /** Returns the call of a graph's host function with its data. */
  static Runnable bind(Object function, Object data) {
    CUhostFn found = (CUhostFn) function;
    return () -> JCudaArguments.call(() -> found.call(data));
  }
}
