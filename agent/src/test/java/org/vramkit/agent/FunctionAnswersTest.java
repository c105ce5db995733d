package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;
import static org.vramkit.agent.Answer.*;

import java.util.stream.Stream;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@SimulatedCuda
@DisplayName("As on an H200: functions and modules:")
class FunctionAnswersTest {
  @ParameterizedTest(name = "{0}")
  @MethodSource({"functions", "modules"})
  void answers(Answer answer) throws Exception {
    answer.check();
  }

  static Stream<Answer> functions() {
    return Stream.of(
        of(
            "active blocks of 32; 256; 1024 threads; 0; 2048; 1 MiB shared; 100000 bytes",
            "0 32; 0 8; 0 2; 1 -1; 0 0; 0 0; 0 0",
            () ->
                say(
                    resident(32, 0),
                    resident(256, 0),
                    resident(1024, 0),
                    resident(0, 0),
                    resident(2048, 0),
                    resident(256, 1 << 20),
                    resident(33, 100_000))),
        of(
            "shared memory that 2 blocks of 128 leave; 1; 0",
            "SUCCESS 49152; SUCCESS 49152; InvalidValue",
            () -> {
              CUfunc_st tiny = function("tiny");
              SizeTPointer left = new SizeTPointer(1);
              String two = name(cudaOccupancyAvailableDynamicSMemPerBlock(left, tiny, 2, 128));
              two += " " + left.get();
              String one = name(cudaOccupancyAvailableDynamicSMemPerBlock(left, tiny, 1, 128));
              one += " " + left.get();
              return say(
                  two, one, name(cudaOccupancyAvailableDynamicSMemPerBlock(left, tiny, 0, 128)));
            }),
        of(
            "shared memory set to 232448; 232449; -1; 0; then a launch with 1 KiB",
            "SUCCESS; InvalidValue; InvalidValue; SUCCESS; InvalidValue",
            () -> {
              CUfunc_st tiny = function("tiny");
              return names(
                  cudaFuncSetAttribute(tiny, 8, 232_448),
                  cudaFuncSetAttribute(tiny, 8, 232_449),
                  cudaFuncSetAttribute(tiny, 8, -1),
                  cudaFuncSetAttribute(tiny, 8, 0),
                  launch(tiny, 1, 1, 1024));
            }),
        of(
            "100 KiB allowed: a launch with it; with a byte more",
            "SUCCESS; InvalidValue",
            () -> {
              CUfunc_st tiny = function("tiny");
              cudaFuncSetAttribute(tiny, 8, 102_400);
              return names(launch(tiny, 1, 1, 102_400), launch(tiny, 1, 1, 102_401));
            }),
        of(
            "40 KiB static: 10 KiB dynamic; 8 KiB; a kernel for 128 threads with 256",
            "InvalidValue; SUCCESS; InvalidValue",
            () ->
                names(
                    launch(function("shared"), 1, 1, 10_240),
                    launch(function("shared"), 1, 1, 8192),
                    launch(function("bounded"), 1, 256, 0))),
        of(
            "carveout 101; -2; 50; attribute 99; caches 1; 9",
            "InvalidValue; InvalidValue; SUCCESS; InvalidValue; SUCCESS; InvalidValue",
            () -> {
              CUfunc_st tiny = function("tiny");
              return names(
                  cudaFuncSetAttribute(tiny, 9, 101),
                  cudaFuncSetAttribute(tiny, 9, -2),
                  cudaFuncSetAttribute(tiny, 9, 50),
                  cudaFuncSetAttribute(tiny, 99, 0),
                  cudaFuncSetCacheConfig(tiny, 1),
                  cudaFuncSetCacheConfig(tiny, 9));
            }));
  }

  private static String resident(int threads, long shared) {
    int[] blocks = {-1};
    int status =
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function("tiny"), threads, shared);
    return status + " " + blocks[0];
  }

  private static int load(String text) {
    return cuModuleLoadData(new CUmod_st(), new BytePointer(text));
  }

  private static int head(String version, String target) {
    return load(".version " + version + "\n.target " + target + "\n.address_size 64\n");
  }

  static Stream<Answer> modules() {
    return Stream.of(
        of(
            "garbage; an empty text; a syntax error; version 9.9; sm_100; sm_90a; no address size",
            "200; 200; 218; 222; 218; 0; 0",
            () -> {
              cudaFree(null);
              return say(
                  load("garbage"),
                  load(""),
                  load(".version 9.0\n.target sm_70\n.address_size 64\nfoo\n"),
                  head("9.9", "sm_70"),
                  head("9.0", "sm_100"),
                  head("9.0", "sm_90a"),
                  load(".version 9.0\n.target sm_70\n"));
            }),
        of(
            "versions 9.0; 9.1; 1.0; targets sm_20; sm_50; sm_120",
            "0; 222; 0; 0; 0; 218",
            () -> {
              cudaFree(null);
              return say(
                  head("9.0", "sm_70"),
                  head("9.1", "sm_70"),
                  load(".version 1.0\n.target sm_10\n"),
                  head("9.0", "sm_20"),
                  head("9.0", "sm_50"),
                  head("9.0", "sm_120"));
            }),
        of(
            "a missing file; an empty name; a folder",
            "301; 1; 2",
            () -> {
              cudaFree(null);
              return say(
                  cuModuleLoad(new CUmod_st(), "missing.ptx"),
                  cuModuleLoad(new CUmod_st(), ""),
                  cuModuleLoad(new CUmod_st(), "src"));
            }),
        of(
            "a missing function; variable; a variable's size only; of arr; of a constant",
            "500; 500; 0; 40; 4",
            () -> {
              CUmod_st module = module();
              SizeTPointer size = new SizeTPointer(1);
              LongPointer at = new LongPointer(1);
              int function = cuModuleGetFunction(new CUfunc_st(), module, "missing");
              int variable = cuModuleGetGlobal(at, size, module, "missing");
              int only = cuModuleGetGlobal((LongPointer) null, size, module, "arr");
              long arr = size.get();
              cuModuleGetGlobal(at, size, module, "factor");
              return say(function, variable, only, arr, size.get());
            }),
        of(
            "a function twice: the same handle",
            "true",
            () -> {
              CUmod_st module = module();
              CUfunc_st one = new CUfunc_st();
              CUfunc_st two = new CUfunc_st();
              cuModuleGetFunction(one, module, "tiny");
              cuModuleGetFunction(two, module, "tiny");
              return one.equals(two);
            }),
        of(
            "offsets and sizes of parameters; a fifth",
            "0:1 8:8 16:4 20:12; 1",
            () -> {
              CUfunc_st wide = function("wide");
              SizeTPointer offset = new SizeTPointer(1);
              SizeTPointer size = new SizeTPointer(1);
              StringBuilder found = new StringBuilder();
              for (int i = 0; i < 4; i++) {
                cuFuncGetParamInfo(wide, i, offset, size);
                found.append(" ").append(offset.get()).append(":").append(size.get());
              }
              return say(found.toString().strip(), cuFuncGetParamInfo(wide, 4, offset, size));
            }),
        of(
            "attributes of a kernel of sm_70: PTX; machine code; threads",
            "70; 90; 1024",
            () -> {
              CUfunc_st tiny = function("tiny");
              int[] value = new int[1];
              cuFuncGetAttribute(value, 5, tiny);
              int ptx = value[0];
              cuFuncGetAttribute(value, 6, tiny);
              int binary = value[0];
              cuFuncGetAttribute(value, 0, tiny);
              return say(ptx, binary, value[0]);
            }),
        of(
            "unloading; the object keeps its address",
            "0; true",
            () -> {
              CUmod_st module = module();
              return say(cuModuleUnload(module), !module.isNull());
            }));
  }
}
