package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;
import static org.vramkit.agent.Answer.*;

import java.util.stream.Stream;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUkern_st;
import org.bytedeco.cuda.cudart.CUlib_st;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@SimulatedCuda
@DisplayName("As on an H200: launches, logs, libraries, work that takes long:")
class LaunchAnswersTest {
  @ParameterizedTest(name = "{0}")
  @MethodSource({"launches", "modules", "busy"})
  void answers(Answer answer) throws Exception {
    answer.check();
  }

  private static int run(
      CUfunc_st function, @Nullable PointerPointer<?> list, @Nullable CUstream_st stream) {
    return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, list, null);
  }

  /** Keeps a stream busy for some milliseconds. */
  private static void busy(@Nullable CUstream_st stream, long millis) {
    LongPointer nanos = new LongPointer(new long[] {millis * 1_000_000});
    run(function("busy"), new PointerPointer<>(1).put(0, nanos), stream);
  }

  private static CUstream_st handle(long number) {
    CUstream_st stream = new CUstream_st();
    JavaCppStructs.setAddress(stream, number);
    return stream;
  }

  static Stream<Answer> launches() {
    return Stream.of(
        of(
            "an argument changed behind a pending launch",
            "SUCCESS; 11",
            () -> {
              Pointer d = ints(0);
              CUfunc_st add = function("add");
              IntPointer value = new IntPointer(new int[] {11});
              LongPointer address = new LongPointer(new long[] {d.address()});
              int status = run(add, new PointerPointer<>(address, value), null);
              value.put(0, 99);
              address.put(0, 0);
              return say(name(status), read(d));
            }),
        of(
            "a launch on a stream of address 0; of address 2",
            "0; 0",
            () -> {
              CUfunc_st tiny = function("tiny");
              return say(run(tiny, null, handle(0)), run(tiny, null, handle(2)));
            }),
        of(
            "largest block: status; blocks; threads; with a limit of 100",
            "0 264 1024; 0 4224 64",
            () -> {
              int[] blocks = new int[1];
              int[] threads = new int[1];
              CUfunc_st tiny = function("tiny");
              String all =
                  cuOccupancyMaxPotentialBlockSize(blocks, threads, tiny, null, 0, 0)
                      + " "
                      + blocks[0]
                      + " "
                      + threads[0];
              int some = cuOccupancyMaxPotentialBlockSize(blocks, threads, tiny, null, 0, 100);
              return say(all, some + " " + blocks[0] + " " + threads[0]);
            }),
        of(
            "a cooperative launch that fits the device; of one block more",
            "SUCCESS; CooperativeLaunchTooLarge",
            () -> names(together(264), together(265))),
        of(
            "clusters of 3 in a grid of 1",
            "InvalidClusterSize",
            () -> DevicePrograms.clusters(function("tiny"), 1, 3)),
        of(
            "attributes that no launch needs: carveout; set to 50; size of clusters",
            "-1; 50; 0",
            () -> {
              int[] value = new int[1];
              CUfunc_st tiny = function("tiny");
              cuFuncGetAttribute(value, 9, tiny);
              int before = value[0];
              cuFuncSetAttribute(tiny, 9, 50);
              cuFuncGetAttribute(value, 9, tiny);
              int after = value[0];
              cuFuncGetAttribute(value, 11, tiny);
              return say(before, after, value[0]);
            }),
        of(
            "0 bytes of shared memory allowed: a launch with 48 KiB",
            "InvalidValue",
            () -> {
              CUfunc_st tiny = function("tiny");
              cudaFuncSetAttribute(tiny, 8, 0);
              return names(launch(tiny, 1, 1, 48 * 1024));
            }));
  }

  /** Launches blocks of 1024 threads that may wait for each other. */
  private static int together(int blocks) {
    return cuLaunchCooperativeKernel(
        function("tiny"), blocks, 1, 1, 1024, 1, 1, 0, null, (Pointer) null);
  }

  /** Loads a module with both logs; returns status, error log, its size and that of the other. */
  private static String logs(String image) {
    cudaFree(null);
    BytePointer error = new BytePointer(2048);
    BytePointer info = new BytePointer(2048);
    for (int i = 0; i < 2048; i++) {
      error.put(i, (byte) 7);
      info.put(i, (byte) 7);
    }
    PointerPointer<Pointer> values = new PointerPointer<>(5);
    values.put(0, info).put(2, error);
    LongPointer numbers = new LongPointer(values);
    numbers.put(1, 2048).put(3, 2048).put(4, 1);
    int[] options = {3, 4, 5, 6, 12};
    int status = cuModuleLoadDataEx(new CUmod_st(), new BytePointer(image), 5, options, values);
    return say(status, text(error), (int) numbers.get(3), text(info), (int) numbers.get(1));
  }

  private static String text(BytePointer log) {
    return log.getString().replaceAll("(?s)\0.*", "").replace('\n', '~');
  }

  static Stream<Answer> modules() {
    String aborted = "ptxas fatal   : Ptx assembly aborted due to errors";
    return Stream.of(
        of(
            "logs of a text that is no PTX",
            "218; ptxas application ptx input, line 3; fatal   : Parsing error near 'foo': syntax"
                + " error~"
                + aborted
                + "; 136; ; 0",
            () -> logs(".version 9.0\n.target sm_70\nfoo\n")),
        of("logs of good PTX", "0; ; 0; ; 0", () -> logs(ptx())),
        of(
            "garbage with an error log of 16 bytes",
            "200; 16; error   : Binar",
            () -> {
              cudaFree(null);
              return DevicePrograms.log("garbage", 16);
            }),
        of(
            "a log of 1024 bytes, all of which its text has",
            "1024; true",
            () -> {
              BytePointer log = new BytePointer(1024);
              log.put(1000, (byte) 7);
              PointerPointer<Pointer> values = new PointerPointer<>(2);
              values.put(0, log);
              new LongPointer(values).put(1, 1024);
              cudaFree(null);
              cuModuleLoadDataEx(
                  new CUmod_st(),
                  new BytePointer(".version 9.0\n.target sm_70\nfoo\n"),
                  2,
                  new int[] {5, 6},
                  values);
              return say(log.getString().length(), log.getString().endsWith("\0\0"));
            }),
        of(
            "loading mode",
            "0 2",
            () -> {
              int[] mode = new int[1];
              cuInit(0);
              return cuModuleGetLoadingMode(mode) + " " + mode[0];
            }),
        of(
            "functions of a module",
            "0 7",
            () -> {
              int[] count = new int[1];
              return cuModuleGetFunctionCount(count, module()) + " " + count[0];
            }),
        of(
            "a kernel of a library; its function; a launch of the kernel; kernels",
            "0; 0; 0; 0 7",
            () -> {
              CUlib_st library = library();
              CUkern_st kernel = new CUkern_st();
              int got = cuLibraryGetKernel(kernel, library, "tiny");
              CUfunc_st function = new CUfunc_st();
              int of = cuKernelGetFunction(function, kernel);
              CUfunc_st cast = new CUfunc_st(kernel);
              int[] count = new int[1];
              int launched = run(cast, null, null);
              return say(
                  got, of, launched, cuLibraryGetKernelCount(count, library) + " " + count[0]);
            }),
        of(
            "size of a variable; with a null size",
            "0; 40; 0",
            () -> {
              long[] address = new long[1];
              SizeTPointer size = new SizeTPointer(1);
              CUmod_st module = module();
              int status = cuModuleGetGlobal(address, size, module, "arr");
              return say(
                  status,
                  size.get(),
                  cuModuleGetGlobal(address, (SizeTPointer) null, module, "arr"));
            }));
  }

  static Stream<Answer> busy() {
    return Stream.of(
        of(
            "a stream with 20 ms: destruction; synchronization",
            "SUCCESS; SUCCESS",
            () -> {
              CUstream_st stream = stream();
              busy(stream, 20);
              return names(cudaStreamDestroy(stream), cudaDeviceSynchronize());
            }),
        of(
            "an event recorded three times, the last behind work",
            "NotReady",
            () -> {
              CUstream_st stream = stream();
              CUevent_st event = event();
              cudaEventRecord(event, stream);
              cudaEventRecord(event, stream);
              cudaStreamSynchronize(stream);
              busy(stream, 20);
              cudaEventRecord(event, stream);
              return names(cudaEventQuery(event));
            }));
  }
}
