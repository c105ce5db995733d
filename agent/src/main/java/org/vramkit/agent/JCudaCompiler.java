package org.vramkit.agent;

import static org.vramkit.agent.JCudaPointers.handleOf;
import static org.vramkit.agent.JCudaPointers.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import jcuda.nvrtc.nvrtcProgram;
import jcuda.nvrtc.nvrtcResult;
import org.jspecify.annotations.Nullable;

/** JCuda's NVRTC, whose programs nvcc compiles. */
final class JCudaCompiler {
  private JCudaCompiler() {}

  private static CompiledProgram program(nvrtcProgram program, String function) {
    requireNonNull(program, "prog", function);
    return CudaProcess.get()
        .get(handleOf(program), CompiledProgram.class, nvrtcResult.NVRTC_ERROR_INVALID_PROGRAM);
  }

  static void setLogLevel(int level) {
    JCudaDevices.setLogLevel(level);
  }

  static String nvrtcGetErrorString(int result) {
    return nvrtcResult.stringFor(result);
  }

  static int nvrtcCreateProgram(
      nvrtcProgram program,
      @Nullable String source,
      @Nullable String name,
      int count,
      String @Nullable [] headers,
      String @Nullable [] includeNames) {
    requireNonNull(program, "prog", "nvrtcCreateProgram");
    boolean given = count == 0 || (headers != null && includeNames != null);
    CudaError.require(given, nvrtcResult.NVRTC_ERROR_INVALID_INPUT);
    CompiledProgram made =
        new CompiledProgram(
            CudaError.found(source, nvrtcResult.NVRTC_ERROR_INVALID_INPUT),
            name == null || name.isEmpty() ? "default_program" : name);
    for (int i = 0; i < count && headers != null && includeNames != null; i++) {
      made.addHeader(includeNames[i], headers[i]);
    }
    CudaProcess process = CudaProcess.get();
    long handle = process.newHandle();
    process.add(handle, made);
    JCudaPointers.set(program, handle);
    return 0;
  }

  static int nvrtcDestroyProgram(nvrtcProgram program) {
    program(program, "nvrtcDestroyProgram");
    CudaProcess.get().remove(handleOf(program));
    JCudaPointers.set(program, 0);
    return 0;
  }

  static int nvrtcCompileProgram(nvrtcProgram program, int count, String @Nullable [] options) {
    CompiledProgram found = program(program, "nvrtcCompileProgram");
    List<String> given = new ArrayList<>();
    for (int i = 0; i < count && options != null; i++) {
      given.add(options[i]);
    }
    return found.compile(given);
  }

  static int nvrtcGetPTXSize(nvrtcProgram program, long[] size) {
    requireNonNull(size, "ptxSizeRet", "nvrtcGetPTXSize");
    size[0] = program(program, "nvrtcGetPTXSize").getPtx().length() + 1L;
    return 0;
  }

  static int nvrtcGetPTX(nvrtcProgram program, String[] ptx) {
    requireNonNull(ptx, "ptx", "nvrtcGetPTX");
    ptx[0] = program(program, "nvrtcGetPTX").getPtx();
    return 0;
  }

  static int nvrtcGetProgramLogSize(nvrtcProgram program, long[] size) {
    requireNonNull(size, "logSizeRet", "nvrtcGetProgramLogSize");
    size[0] = program(program, "nvrtcGetProgramLogSize").getLog().length() + 1L;
    return 0;
  }

  static int nvrtcGetProgramLog(nvrtcProgram program, String[] log) {
    requireNonNull(log, "log", "nvrtcGetProgramLog");
    log[0] = program(program, "nvrtcGetProgramLog").getLog();
    return 0;
  }
}
