package org.vramkit.agent;

import static jcuda.nvrtc.JNvrtc.nvrtcAddNameExpression;
import static jcuda.nvrtc.JNvrtc.nvrtcCompileProgram;
import static jcuda.nvrtc.JNvrtc.nvrtcCreateProgram;
import static jcuda.nvrtc.JNvrtc.nvrtcDestroyProgram;
import static jcuda.nvrtc.JNvrtc.nvrtcGetLoweredName;
import static jcuda.nvrtc.JNvrtc.nvrtcGetPTX;
import static jcuda.nvrtc.JNvrtc.nvrtcGetProgramLog;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import jcuda.nvrtc.nvrtcProgram;
import org.bytedeco.cuda.global.nvrtc;
import org.bytedeco.cuda.nvrtc._nvrtcProgram;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@SimulatedCuda
@DisplayName("Programs of NVRTC")
class CompilerTest {
  private static nvrtcProgram program(String source) {
    nvrtcProgram program = new nvrtcProgram();
    String[] headers = {"#define VALUE 7\n"};
    assertEquals(
        0, nvrtcCreateProgram(program, source, "k.cu", 1, headers, new String[] {"value.h"}));
    return program;
  }

  private static void requireCompiler() {
    assumeTrue(
        CompiledProgram.findCompiler(System.getenv().getOrDefault("PATH", "")) != null,
        "nvcc is not on the PATH");
  }

  @Test
  @DisplayName("are compiled to PTX by nvcc, with their headers")
  void compiled() {
    requireCompiler();
    nvrtcProgram program =
        program("#include \"value.h\"\nextern \"C\" __global__ void k(int *p) { *p = VALUE; }\n");
    assertEquals(0, nvrtcCompileProgram(program, 0, null));
    String[] ptx = new String[1];
    assertEquals(0, nvrtcGetPTX(program, ptx));
    assertTrue(ptx[0].contains(".visible .entry k("), ptx[0]);
    assertTrue(ptx[0].contains(".target sm_75"), ptx[0]);
    assertEquals(0, nvrtcDestroyProgram(program));
    assertEquals(4, nvrtcDestroyProgram(program));
  }

  @Test
  @DisplayName("have the log of a failure, and its status")
  void refused() {
    requireCompiler();
    nvrtcProgram program = program("extern \"C\" __global__ void k(int *p) { *p = nope; }\n");
    assertEquals(6, nvrtcCompileProgram(program, 0, null));
    String[] log = new String[1];
    assertEquals(0, nvrtcGetProgramLog(program, log));
    assertTrue(log[0].contains("identifier \"nope\" is undefined"), log[0]);
    assertEquals(5, nvrtcCompileProgram(program, 1, new String[] {"--foo"}));
  }

  @Test
  @DisplayName("are compiled for JavaCPP too, with options and headers in lists of pointers")
  void ofJavaCpp() {
    requireCompiler();
    _nvrtcProgram program = new _nvrtcProgram();
    BytePointer source =
        new BytePointer(
            "#include \"value.h\"\nextern \"C\" __global__ void k(int *p) { *p = VALUE + W; }\n");
    PointerPointer<?> headers = new PointerPointer<>("#define VALUE 7\n");
    PointerPointer<?> names = new PointerPointer<>("value.h");
    BytePointer name = new BytePointer("k.cu");
    assertEquals(0, nvrtc.nvrtcCreateProgram(program, source, name, 1, headers, names));
    PointerPointer<?> options = new PointerPointer<>("-arch=sm_80", "-DW=1");
    assertEquals(0, nvrtc.nvrtcCompileProgram(program, 2, options));
    SizeTPointer size = new SizeTPointer(1);
    assertEquals(0, nvrtc.nvrtcGetPTXSize(program, size));
    byte[] ptx = new byte[(int) size.get()];
    assertEquals(0, nvrtc.nvrtcGetPTX(program, ptx));
    String text = new String(ptx, StandardCharsets.UTF_8);
    assertTrue(text.contains(".target sm_80") && text.endsWith("\0"), text);
    assertEquals(0, nvrtc.nvrtcDestroyProgram(program));
    assertTrue(program.isNull());
    assertEquals("NVRTC_ERROR_COMPILATION", nvrtc.nvrtcGetErrorString(6).getString());
  }

  @Test
  @DisplayName("tell the names in PTX of expressions in C++")
  void names() {
    requireCompiler();
    nvrtcProgram program =
        program(
            """
            namespace a { __global__ void k2(int *p) {} __constant__ int cv; }
            template <typename T, int N> __global__ void t(T *p) {}
            extern "C" __global__ void ext(int *p) {}
            """);
    List<String> expressions = List.of("a::k2", "t<int, 3>", "&a::cv", "ext");
    expressions.forEach(each -> assertEquals(0, nvrtcAddNameExpression(program, each)));
    String[] name = new String[1];
    assertEquals(9, nvrtcGetLoweredName(program, "ext", name));
    assertEquals(0, nvrtcCompileProgram(program, 0, null));
    List<String> lowered = new ArrayList<>();
    for (String each : expressions) {
      assertEquals(0, nvrtcGetLoweredName(program, each, name));
      lowered.add(name[0]);
    }
    assertEquals(List.of("_ZN1a2k2EPi", "_Z1tIiLi3EEvPT_", "_ZN1a2cvE", "ext"), lowered);
    assertEquals(10, nvrtcGetLoweredName(program, "t<int,3>", name));
    assertEquals(8, nvrtcAddNameExpression(program, "ext"));
    String[] ptx = new String[1];
    assertEquals(0, nvrtcGetPTX(program, ptx));
    assertTrue(!ptx[0].contains("vramkit"), ptx[0]);
  }

  @Test
  @DisplayName("take the options of NVRTC, and no others of nvcc")
  void options() {
    assertEquals("", CompilerOptions.problemOf(List.of("-G", "-D", "V=3", "--std=c++17", "-w")));
    assertEquals("", CompilerOptions.problemOf(List.of("--gpu-architecture", "compute_90")));
    for (String each : List.of("-O3", "-g", "--version", "--foo", "", "-arch compute_90")) {
      assertEquals(
          "nvrtc: error: unrecognized option " + each + " found\n",
          CompilerOptions.problemOf(List.of(each)));
    }
    for (String each : List.of("compute_70", "sm_91", "lto_90", "native", "all")) {
      assertEquals(
          "nvrtc: error: invalid value for --gpu-architecture (-arch)\n",
          CompilerOptions.problemOf(List.of("-arch=" + each)));
    }
    assertEquals(
        "nvrtc: error: invalid value for --std(-std)\n",
        CompilerOptions.problemOf(List.of("-std=c++23")));
    for (String[] each :
        new String[][] {
          {"-fmad", "--fmad (-fmad) expects true or false"},
          {"-rdc=maybe", "--relocatable-device-code (-rdc) expects true or false"},
          {"-maxrregcount=abc", "--maxrregcount (-maxrregcount) expects an integer value"},
          {"--minimal=true", "--minimal (-minimal) does not accept any argument"}
        }) {
      assertEquals("nvrtc: error: " + each[1] + "\n", CompilerOptions.problemOf(List.of(each[0])));
    }
    assertEquals(
        "nvrtc: error: unrecognized option --std found\n",
        CompilerOptions.problemOf(List.of("--std", "c++17")));
    assertEquals(
        "", CompilerOptions.problemOf(List.of("-Xptxas", "-v", "-fmad=false", "-Ofc=mid")));
    assertEquals(List.of("-G"), CompilerOptions.ofNvcc(List.of("--minimal", "-G")));
  }

  @Test
  @DisplayName("need nvcc, and the error says how to do without")
  void without() {
    assertEquals(null, CompiledProgram.findCompiler(""));
    UnsupportedOperationException refused =
        assertThrows(
            UnsupportedOperationException.class,
            () -> new CompiledProgram("", "k").compile(null, List.of()));
    assertNotNull(refused.getMessage());
    assertTrue(refused.toString().contains("nvcc -ptx"), refused.toString());
  }
}
