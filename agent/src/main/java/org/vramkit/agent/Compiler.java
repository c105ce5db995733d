package org.vramkit.agent;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.InOut;
import org.vramkit.agent.Arguments.Result;
import org.vramkit.agent.Arguments.Room;
import org.vramkit.agent.Arguments.Texts;

/** NVRTC, whose programs nvcc compiles. */
final class Compiler {
  private static final List<String> STATUSES =
      List.of(
          "NVRTC_SUCCESS",
          "NVRTC_ERROR_OUT_OF_MEMORY",
          "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
          "NVRTC_ERROR_INVALID_INPUT",
          "NVRTC_ERROR_INVALID_PROGRAM",
          "NVRTC_ERROR_INVALID_OPTION",
          "NVRTC_ERROR_COMPILATION",
          "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
          "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
          "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
          "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
          "NVRTC_ERROR_INTERNAL_ERROR",
          "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
          "NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
          "NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
          "NVRTC_ERROR_PCH_CREATE",
          "NVRTC_ERROR_CANCELLED");

  /** Architectures of NVRTC 13.0. */
  private static final int[] ARCHITECTURES = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

  private Compiler() {}

  private static CompiledProgram program(long program) {
    return CudaProcess.get().get(program, CompiledProgram.class, CompiledProgram.INVALID_PROGRAM);
  }

  static String nvrtcGetErrorString(int result) {
    boolean isKnown = result >= 0 && result < STATUSES.size();
    return isKnown ? STATUSES.get(result) : "NVRTC_ERROR unknown";
  }

  static void nvrtcVersion(Result major, Result minor) {
    major.set(13);
    minor.set(0);
  }

  static void nvrtcGetNumSupportedArchs(Result count) {
    count.set(ARCHITECTURES.length);
  }

  static void nvrtcGetSupportedArchs(CudaPointer architectures) {
    for (int i = 0; i < ARCHITECTURES.length; i++) {
      architectures.plus((long) i * Integer.BYTES).write(ARCHITECTURES[i]);
    }
  }

  static void nvrtcCreateProgram(
      Result program,
      @Nullable String source,
      @Nullable String name,
      int count,
      @Nullable Texts headers,
      @Nullable Texts includeNames) {
    CompiledProgram made =
        new CompiledProgram(
            CudaError.found(source, CompiledProgram.INVALID_INPUT),
            name == null || name.isEmpty() ? "default_program" : name);
    CudaError.require(count >= 0, CompiledProgram.INVALID_INPUT);
    for (int i = 0; i < count; i++) {
      made.addHeader(
          CudaError.found(includeNames, CompiledProgram.INVALID_INPUT).get(i),
          CudaError.found(headers, CompiledProgram.INVALID_INPUT).get(i));
    }
    CudaProcess process = CudaProcess.get();
    long handle = process.newHandle();
    process.add(handle, made);
    program.set(handle);
  }

  static void nvrtcDestroyProgram(InOut program) {
    program(program.get());
    CudaProcess.get().remove(program.get());
    program.set(0);
  }

  static int nvrtcCompileProgram(long program, int count, @Nullable Texts options) {
    List<String> given = new ArrayList<>();
    CudaError.require(count >= 0, CompiledProgram.INVALID_INPUT);
    for (int i = 0; i < count; i++) {
      given.add(CudaError.found(options, CompiledProgram.INVALID_OPTION).get(i).strip());
    }
    return program(program).compile(given);
  }

  static void nvrtcAddNameExpression(long program, @Nullable String expression) {
    program(program).addName(CudaError.found(expression, CompiledProgram.INVALID_INPUT));
  }

  static void nvrtcGetLoweredName(long program, @Nullable String expression, Result name) {
    String given = CudaError.found(expression, CompiledProgram.INVALID_INPUT);
    name.set(program(program).getLoweredName(given));
  }

  static void nvrtcGetPTXSize(long program, Result size) {
    size.set(program(program).getPtx().length() + 1L);
  }

  static void nvrtcGetPTX(long program, Room ptx) {
    String text = program(program).getPtx();
    ptx.set(text, text.length() + 1);
  }

  /** Sets the size of the code for a GPU, in the place of which there is the PTX, with its zero. */
  static void nvrtcGetCUBINSize(long program, Result size) {
    String code = program(program).getCode();
    size.set(code.isEmpty() ? 0 : code.length() + 1L);
  }

  static void nvrtcGetCUBIN(long program, Room code) {
    String text = program(program).getCode();
    code.set(text, text.isEmpty() ? 0 : text.length() + 1);
  }

  static void nvrtcGetProgramLogSize(long program, Result size) {
    size.set(program(program).getLog().length() + 1L);
  }

  static void nvrtcGetProgramLog(long program, Room log) {
    String text = program(program).getLog();
    log.set(text, text.length() + 1);
  }
}
