package org.vramkit.agent;

import static jcuda.nvrtc.JNvrtc.*;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.vramkit.agent.Answer.*;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jcuda.nvrtc.nvrtcProgram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("nightly")
@SimulatedCuda
@DisplayName("As NVRTC 13.0:")
class CompilerAnswersTest {
  private static final String KERNEL = "extern \"C\" __global__ void k(int *p) { *p = 1; }\n";

  @ParameterizedTest(name = "{0}")
  @MethodSource({"versions", "messages", "names"})
  void answers(Answer answer) throws Exception {
    assumeTrue(
        CompiledProgram.findCompiler(System.getenv().getOrDefault("PATH", "")) != null,
        "nvcc is not on the PATH");
    answer.check();
  }

  private static nvrtcProgram program(String source, @Nullable String name) {
    nvrtcProgram program = new nvrtcProgram();
    nvrtcCreateProgram(program, source, name, 0, null, null);
    return program;
  }

  private static String log(nvrtcProgram program) {
    String[] log = new String[1];
    nvrtcGetProgramLog(program, log);
    return log[0].replace('\n', '~');
  }

  /** Compiles; returns the status, the target and whether there is code for a GPU. */
  private static String target(String... options) {
    nvrtcProgram program = program(KERNEL, "name.cu");
    int status = nvrtcCompileProgram(program, options.length, options);
    String[] ptx = new String[1];
    int got = nvrtcGetPTX(program, ptx);
    String target =
        ptx[0].lines().filter(each -> each.startsWith(".target")).findFirst().orElse("-");
    long[] size = new long[1];
    String code = nvrtcGetCUBINSize(program, size) + (size[0] > 0 ? " yes" : " no");
    return say(status, got + " " + target, code, log(program));
  }

  /** Compiles a source named name.cu; returns the status and the log. */
  private static String said(String source, String... options) {
    nvrtcProgram program = program(source, "name.cu");
    return nvrtcCompileProgram(program, options.length, options) + ": " + log(program);
  }

  static Stream<Answer> versions() {
    return Stream.of(
        of(
            "version; architectures",
            "13 0; 12: 75 80 86 87 88 89 90 100 103 110 120 121",
            () -> {
              int[] major = new int[1];
              int[] minor = new int[1];
              nvrtcVersion(major, minor);
              int[] count = new int[1];
              nvrtcGetNumSupportedArchs(count);
              int[] known = new int[count[0]];
              nvrtcGetSupportedArchs(known);
              return say(
                  major[0] + " " + minor[0],
                  count[0]
                      + ": "
                      + Arrays.stream(known)
                          .mapToObj(String::valueOf)
                          .collect(Collectors.joining(" ")));
            }),
        of("no options", "0; 0 .target sm_75; 0 no; ", () -> target()),
        of("compute_75", "0; 0 .target sm_75; 0 no; ", () -> target("-arch=compute_75")),
        of("sm_90a", "0; 0 .target sm_90a; 0 yes; ", () -> target("-arch=sm_90a")),
        of("sm_100f", "0; 0 .target sm_100f; 0 yes; ", () -> target("-arch=sm_100f")),
        of(
            "compute_90 as a second string",
            "0; 0 .target sm_90; 0 no; ",
            () -> target("--gpu-architecture", "compute_90")),
        of(
            "compute_90f",
            "6; 0 -; 0 no; Command-line error: invalid or no value specified with --nv_arch"
                + " flag~~1 catastrophic error detected in this compilation.~Compilation"
                + " terminated.~",
            () -> target("-arch=compute_90f")),
        of(
            "sm_91",
            "5; 0 -; 0 no; nvrtc: error: invalid value for --gpu-architecture (-arch)~",
            () -> target("-arch=sm_91")),
        of(
            "other options",
            "0; 0 .target sm_90; 0 yes",
            () ->
                target(
                        "-arch=sm_90",
                        "-lineinfo",
                        "-use_fast_math",
                        "-default-device",
                        "-DV=3",
                        "-D W=3",
                        "-U V",
                        "-Ifolder",
                        "--fmad=false",
                        "-ewp",
                        "-dlto",
                        "--minimal",
                        "--restrict",
                        "--extra-device-vectorization",
                        "--split-compile=2",
                        "--diag-suppress=177",
                        "-no-source-include",
                        "-std=c++20")
                    .replaceFirst("; [^;]*$", "")));
  }

  static Stream<Answer> messages() {
    return Stream.of(
        of(
            "a missing semicolon",
            "6: name.cu(3): error: expected a \";\"~  }~  ^~~1 error detected in the compilation of"
                + " \"name.cu\".~",
            () -> said("extern \"C\" __global__ void k(int *p) {\n  *p = 3\n}\n")),
        of(
            "an unknown name",
            "6: name.cu(2): error: identifier \"nope\" is undefined~    *p = nope;~         ^~~1"
                + " error detected in the compilation of \"name.cu\".~",
            () -> said("extern \"C\" __global__ void k(int *p) {\n  *p = nope;\n}\n")),
        of(
            "an argument too many, behind the kernel's execution space",
            "6: name.cu(2): error: too many arguments in function call~"
                + "  extern \"C\" __global__ void k(int *p) { *p = f(1, 2); }~"
                + " ".repeat(51)
                + "^~~1 error detected in the compilation of \"name.cu\".~",
            () ->
                said(
                    """
                    __device__ int f(int a) { return a; }
                    extern "C" __global__ void k(int *p) { *p = f(1, 2); }
                    """)),
        of(
            "#error",
            "6: name.cu(1): catastrophic error: #error directive: boom~  #error boom~   ^~~1"
                + " catastrophic error detected in the compilation of \"name.cu\".~Compilation"
                + " terminated.~",
            () -> said("#error boom\n")),
        of(
            "#warning; with -w",
            "0: name.cu(1): warning #1105-D: #warning directive: careful; 0: ",
            () ->
                say(
                    said("#warning careful\n" + KERNEL).split("~", 2)[0],
                    said("#warning careful\n" + KERNEL, "-w"))),
        of(
            "the assembler's figures: of a GPU's code; of an architecture that has none",
            "0: ptxas info; 0: ",
            () ->
                say(
                    said(KERNEL, "-arch=sm_90", "--ptxas-options=-v").replaceAll("    :.*", ""),
                    said(KERNEL, "-arch=compute_90", "--ptxas-options=-v"))),
        of(
            "a warning",
            "0: name.cu(2): warning #177-D: variable \"unused\" was declared but never referenced",
            () ->
                said("extern \"C\" __global__ void k(int *p) {\n  int unused;\n}\n")
                    .split("~", 2)[0]),
        of(
            "missing headers in quotes; in angles; of an option",
            "6: name.cu(1): catastrophic error: cannot open source file \"x.h\"; 6: name.cu(1):"
                + " catastrophic error: could not open source file \"x.h\" (no directories in"
                + " search list); 6: Command-line error: cannot open source file \"h.h\"",
            () ->
                say(
                    said("#include \"x.h\"\n").split("~", 2)[0],
                    said("#include <x.h>\n").split("~", 2)[0],
                    said(KERNEL, "-include=h.h").split("~", 2)[0])),
        of(
            "three errors: the last line; in programs without a name",
            "3 errors detected in the compilation of \"default_program\".; default_program(1)",
            () -> {
              nvrtcProgram program = program("int a = b;\nint c = d;\nint e = f;\n", null);
              nvrtcCompileProgram(program, 0, null);
              String[] lines = log(program).split("~", -1);
              return say(lines[lines.length - 2], lines[0].split(":", 2)[0]);
            }));
  }

  static Stream<Answer> names() {
    return Stream.of(
        of(
            "a name twice and an unknown one",
            "0 0 0; 6; __nv_name_map(3): error: identifier \"nope_here\" is undefined",
            () -> {
              nvrtcProgram program = program("__global__ void k(int *p) {}\n", "name.cu");
              String added = nvrtcAddNameExpression(program, "k") + " ";
              added += nvrtcAddNameExpression(program, "k") + " ";
              added += nvrtcAddNameExpression(program, "nope_here");
              int status = nvrtcCompileProgram(program, 0, null);
              return say(added, status, log(program).split("~", 2)[0]);
            }),
        of(
            "names of functions, variables and templates",
            "0; _Z1kPi _Z1kPi _Z1tIiLi3EEvPT_ _Z1tIiLi3EEvPT_ ext _ZN1a2dvE _ZN1a2cvE _ZN1a2cvE"
                + " _ZN1a2k2EPi _Z1tIPfLi4EEvPT_; ",
            () -> {
              nvrtcProgram program =
                  program(
                      """
                      namespace a {
                      __global__ void k2(int *p) {}
                      __constant__ int cv;
                      __device__ int dv;
                      }
                      __global__ void k(int *p) {}
                      template <typename T, int N> __global__ void t(T *p) {}
                      extern "C" __global__ void ext(int *p) {}
                      """,
                      "name.cu");
              List<String> names =
                  List.of(
                      "k",
                      "&k",
                      "t<int, 3>",
                      "t<int,3>",
                      "ext",
                      "&a::dv",
                      "&a::cv",
                      "a::cv",
                      "a::k2",
                      "t<float*, 4>");
              names.forEach(each -> nvrtcAddNameExpression(program, each));
              int status = nvrtcCompileProgram(program, 0, null);
              String[] name = new String[1];
              String lowered =
                  names.stream()
                      .map(
                          each -> {
                            nvrtcGetLoweredName(program, each, name);
                            return name[0];
                          })
                      .collect(Collectors.joining(" "));
              return say(status, lowered, log(program));
            }));
  }
}
