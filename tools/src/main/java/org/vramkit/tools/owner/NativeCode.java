package org.vramkit.tools.owner;

import java.util.Set;
import java.util.regex.Pattern;

/**
 * Tells native code of a program from runtimes, drivers and libraries, by the scope of its name and
 * by its source file. Frames without debug information have neither; in a Python program they are
 * library code, because the interpreter and all of its packages are.
 */
final class NativeCode {
  private static final Set<String> LIBRARY_SCOPES =
      Set.of(
          // PyTorch and what is linked into it.
          ("at c10 c10d torch caffe2 torchgen sdp pytorch_flash pytorch_fmha gloo tensorpipe"
                  + " libkineto PyTorchMemEffAttention dnnl ideep fbgemm onnx nvfuser"
                  // Other frameworks and allocators.
                  + " rmm cudf raft xla tsl tensorflow stream_executor jax jaxlib mlir llvm triton"
                  + " onnxruntime nvinfer1 paddle phi mxnet tvm transformer_engine nvte flash"
                  + " flashinfer vllm ggml BFCAllocator PjRtClient"
                  // CUDA.
                  + " cuda thrust cub cutlass cute cooperative_groups cudnn_frontend nccl nvshmem"
                  // Standard and helper libraries.
                  + " std boost absl folly tbb oneapi fmt spdlog google grpc Eigen pybind11 nanobind"
                  + " pyo3")
              .split(" "));

  // Names that the standard reserves for compilers and runtimes, and what starts threads.
  private static final Pattern RUNTIME =
      Pattern.compile(
          "__.*|_[A-Z].*|_start|_?thread_start.*|start_thread|_pthread_\\w+|clone3?|main_trampoline"
              + "|execute_native_thread_routine.*|BaseThreadInitThunk|RtlUserThreadStart"
              + "|invoke_main|w?(?:main|WinMain)CRTStartup|gomp_\\w+|(?:GOMP|omp)_.*|JavaMain"
              + "|thread_native_entry|call_stub|Py(?:_|[A-Z][a-z]+_).*|pymain_.*|run_mod.*"
              + "|_dl_\\w+|dlopen.*|_?ffi_\\w+|\\?*");
  private static final Pattern LIBRARY_FUNCTION =
      Pattern.compile(
          "TH[CP][A-Z]\\w*|cu(?:da|blas|blasLt|dnn|fft|solver\\w*|sparse|rand|file|tensor)?[A-Z]\\w*"
              + "|(?:nccl|nvrtc|nvml|nvtx)[A-Z]\\w*|libcu\\w+|dynamo_\\w+|eval_frame.*|mkl_\\w+"
              + "|(?:JNI_|Java_|jni_)\\w+");

  private static final Pattern LIBRARY_FILE =
      Pattern.compile(
          // Systems, and where distributions build their packages.
          "^(?:\\.{1,2}/|/usr/|/lib/|/build/|/croot/|/rustc/|/opt/rh/)|conda-bld/|/site-packages/"
              // Sources of CPython, PyTorch and libraries that are part of it.
              + "|(?:^|/)[cC]?[pP]ython[^/]*/(?:Python|Objects|Modules|Include|Programs|Parser)/"
              + "|^(?:Python|Objects|Modules)/\\w+\\.c$"
              + "|(?:^|/)(?:aten/src|torch/csrc|c10/(?:core|cuda|util)|caffe2|third_party)/"
              + "|/libstdc\\+\\+-v3/|/glibc|/nptl/|/libffi/|/triton/");

  private final boolean isPythonProgram;

  /**
   * Creates a classifier.
   *
   * @param isPythonProgram whether the recording has frames of Python
   */
  NativeCode(boolean isPythonProgram) {
    this.isPythonProgram = isPythonProgram;
  }

  Provenance of(Frame frame) {
    String scope = NativeName.scope(frame.name());
    if (RUNTIME.matcher(scope).matches()) {
      return Provenance.RUNTIME;
    }
    boolean isLibrary =
        LIBRARY_SCOPES.contains(scope)
            || LIBRARY_FUNCTION.matcher(scope).matches()
            || LIBRARY_FILE.matcher(frame.file()).find();
    boolean hasSource = frame.hasLine() && frame.file().indexOf('/') >= 0;
    return isLibrary || (isPythonProgram && !hasSource) ? Provenance.LIBRARY : Provenance.PROGRAM;
  }
}
