package org.vramkit.agent;

import static java.util.stream.Collectors.joining;
import static org.bytedeco.cuda.global.cudart.*;
import static org.vramkit.agent.Answer.*;
import static org.vramkit.agent.DevicePrograms.*;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bytedeco.cuda.cudart.CUctx_st;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUgraph_st;
import org.bytedeco.cuda.cudart.CUmemPoolHandle_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@SimulatedCuda
@DisplayName("As on an H200: contexts:")
class ContextAnswersTest {
  private static final long MIB = 1 << 20;

  @ParameterizedTest(name = "{0}")
  @MethodSource({"makers", "contexts"})
  void answers(Answer answer) throws Exception {
    answer.check();
  }

  static Stream<Answer> makers() {
    int[] n = new int[1];
    return Stream.of(
        maker("cudaGetDeviceCount", NONE, () -> cudaGetDeviceCount(n)),
        maker("cudaSetDevice", MADE, () -> cudaSetDevice(0)),
        maker("cudaFree of null", MADE, () -> cudaFree(null)),
        maker("cudaGetDevice", NONE, () -> cudaGetDevice(n)),
        maker("cudaDeviceGetAttribute", NONE, () -> cudaDeviceGetAttribute(n, 10, 0)),
        maker("cudaMallocHost", MADE, () -> cudaMallocHost(new Pointer(), 4)),
        maker("cudaEventCreate", MADE, () -> cudaEventCreate(new CUevent_st())),
        maker("cudaStreamCreate", MADE, () -> cudaStreamCreate(new CUstream_st())),
        maker(
            "cudaDeviceGetDefaultMemPool",
            NONE,
            () -> cudaDeviceGetDefaultMemPool(new CUmemPoolHandle_st(), 0)),
        maker("cudaGraphCreate", MADE, () -> cudaGraphCreate(new CUgraph_st(), 0)),
        maker("cudaDeviceGetLimit", MADE, () -> cudaDeviceGetLimit(new SizeTPointer(1), 0)),
        maker(
            "cudaDeviceGetStreamPriorityRange", MADE, () -> cudaDeviceGetStreamPriorityRange(n, n)),
        maker(
            "a copy of 0 bytes between host memory",
            MADE,
            () -> cudaMemcpy(new IntPointer(1), new IntPointer(1), 0, 0)),
        maker("cudaDeviceSynchronize", MADE, () -> cudaDeviceSynchronize()),
        maker("cudaStreamSynchronize", MADE, () -> cudaStreamSynchronize(null)),
        maker("cudaStreamQuery", MADE, () -> cudaStreamQuery(null)),
        maker("cudaInitDevice", "SUCCESS; current false; active 1", () -> cudaInitDevice(0, 0, 0)),
        maker("cudaDeviceReset", NONE, () -> cudaDeviceReset()));
  }

  private static int flags(int[] number) {
    cudaGetDeviceFlags(number);
    return number[0];
  }

  private static String limit(int limit) {
    SizeTPointer value = new SizeTPointer(1);
    int status = cudaDeviceGetLimit(value, limit);
    return status == 0 ? String.valueOf(value.get()) : name(status);
  }

  /** Sets a limit to one value after the other; what it is then, or the refusal. */
  private static String limits(int limit, long... values) {
    return Arrays.stream(values)
        .mapToObj(
            value -> {
              int status = cudaDeviceSetLimit(limit, value);
              return status == 0 ? limit(limit) : name(status);
            })
        .collect(joining("; "));
  }

  static Stream<Answer> contexts() {
    int[] n = new int[1];
    return Stream.of(
        of(
            "flags of a device; set to 4; then; 0xffff",
            "8; SUCCESS; 12; InvalidValue",
            () -> {
              cudaSetDevice(0);
              cudaGetDeviceFlags(n);
              int before = n[0];
              int set = cudaSetDeviceFlags(4);
              cudaGetDeviceFlags(n);
              return say(before, name(set), n[0], name(cudaSetDeviceFlags(0xffff)));
            }),
        of(
            "flags of a device that is activated: unread; read; wrong ones",
            "SUCCESS 8; SUCCESS 12; InvalidValue",
            () -> {
              String unread = name(cudaInitDevice(0, 3, 0)) + " " + flags(n);
              String read = name(cudaInitDevice(0, 4, 1)) + " " + flags(n);
              return say(unread, read, name(cudaInitDevice(0, 3, 1)));
            }),
        of(
            "a release of the primary context; cudaMalloc then; a release again",
            "0; 0; 0",
            () -> {
              cudaFree(null);
              return say(
                  cuDevicePrimaryCtxRelease(0),
                  cudaMalloc(new Pointer(), 4),
                  cuDevicePrimaryCtxRelease(0));
            }),
        of(
            "without a context: pop; device; synchronize; flags; limit; push null; stream; event",
            "201; 201; 201; 201; 201; 1; 201; 201",
            () -> {
              cuInit(0);
              return say(
                  cuCtxPopCurrent(new CUctx_st()),
                  cuCtxGetDevice(n),
                  cuCtxSynchronize(),
                  cuCtxGetFlags(n),
                  cuCtxGetLimit(new SizeTPointer(1), 0),
                  cuCtxPushCurrent(null),
                  cuStreamCreate(new CUstream_st(), 0),
                  cuEventCreate(new CUevent_st(), 0));
            }),
        of(
            "an own context: its memory; the runtime's device; destroyed; the block then",
            "SUCCESS; SUCCESS 0; SUCCESS; InvalidValue",
            () -> {
              cuInit(0);
              CUctx_st own = new CUctx_st();
              cuCtxCreate(own, null, 0, 0);
              Pointer d = new Pointer();
              int allocated = cudaMalloc(d, 64);
              String device = name(cudaGetDevice(n)) + " " + n[0];
              cudaSetDevice(0);
              return say(name(allocated), device, name(cuCtxDestroy(own)), name(cudaFree(d)));
            }),
        of(
            "own context current: memory of the primary copied; set; freed",
            "SUCCESS; SUCCESS; SUCCESS",
            () -> {
              Pointer d = device(64L);
              cuCtxCreate(new CUctx_st(), null, 0, 0);
              return names(
                  cudaMemcpy(d, new IntPointer(1), 4, 1), cudaMemset(d, 0, 4), cudaFree(d));
            }),
        of(
            "own event on the primary's stream; the primary's on an own one; a wait for it",
            "InvalidResourceHandle; InvalidResourceHandle; SUCCESS",
            () -> {
              CUstream_st primary = stream();
              CUevent_st event = event();
              cuCtxCreate(new CUctx_st(), null, 0, 0);
              CUevent_st own = new CUevent_st();
              CUstream_st mine = new CUstream_st();
              cuEventCreate(own, 0);
              cuStreamCreate(mine, 0);
              return names(
                  cudaEventRecord(own, primary),
                  cudaEventRecord(event, mine),
                  cudaStreamWaitEvent(mine, event, 0));
            }),
        of(
            "limits 0 to 8 at first; of another number",
            "1024 8650752 8388608 UnsupportedLimit 2048 64 11796480 232448 0; UnsupportedLimit",
            () ->
                say(
                    IntStream.range(0, 9).mapToObj(ContextAnswersTest::limit).collect(joining(" ")),
                    limit(9))),
        of(
            "a stack of 0; 1; 2; 24; 25; 100; 1 MiB",
            "0; 16; 2; 32; 25; 112; InvalidValue",
            () -> limits(0, 0, 1, 2, 24, 25, 100, MIB)),
        of(
            "printf's queue of 1; 50 MiB; 1 TiB; a heap of 1; 50 MiB; 1 TiB",
            "524288; 52428800; 2147483648; 4194304; 52428800; 17681179680",
            () -> limits(1, 1, 50 * MIB, MIB * MIB) + "; " + limits(2, 1, 50 * MIB, MIB * MIB)),
        of(
            "1, 100 and 1 TiB pending launches; bytes fetched into L2: 100; 129",
            "32; 100; 599186; 100; InvalidValue",
            () -> limits(4, 1, 100, MIB * MIB) + "; " + limits(5, 100, 129)),
        of(
            "persisting bytes of L2: 0; 1; 32 MiB; 50 MiB; limits that cannot be set",
            "0; 3932160; 35389440; InvalidValue; NotPermitted; NotPermitted; UnsupportedLimit",
            () ->
                limits(6, 0, 1, 32 * MIB, 50 * MIB)
                    + "; "
                    + say(limits(7, 1), limits(8, 1), limits(3, 1))),
        of(
            "a stack limit of an own context; of the primary",
            "8192; 1024",
            () -> {
              cudaFree(null);
              SizeTPointer limit = new SizeTPointer(1);
              CUctx_st own = new CUctx_st();
              cuCtxCreate(own, null, 0, 0);
              cuCtxSetLimit(0, 8192);
              cuCtxGetLimit(limit, 0);
              long mine = limit.get();
              cuCtxPopCurrent(own);
              cuCtxGetLimit(limit, 0);
              return say(mine, limit.get());
            }),
        of(
            "reset: current; active; copy to old memory; free; free of page-locked; last error",
            "SUCCESS; true; 0; InvalidValue; InvalidValue; InvalidValue; InvalidValue",
            () -> {
              Pointer d = device(64L);
              Pointer host = locked(64);
              int reset = cudaDeviceReset();
              return say(
                  name(reset),
                  isCurrent(),
                  active(),
                  names(
                      cudaMemcpy(d, new IntPointer(1), 4, 1),
                      cudaFree(d),
                      cudaFreeHost(host),
                      cudaGetLastError()));
            }),
        of(
            "reset by another thread; cudaMalloc here; again",
            "SUCCESS; SUCCESS; SUCCESS",
            () -> {
              cudaFree(null);
              int reset = CompletableFuture.supplyAsync(() -> cudaDeviceReset()).get();
              return names(reset, cudaMalloc(new Pointer(), 4), cudaMalloc(new Pointer(), 4));
            }),
        of(
            "a reset by the driver; cudaMalloc; set device; cudaMalloc; reset; cudaMalloc",
            "SUCCESS; SUCCESS; SUCCESS; SUCCESS; SUCCESS; SUCCESS",
            () -> {
              cudaFree(null);
              return names(
                  cuDevicePrimaryCtxReset(0),
                  cudaMalloc(new Pointer(), 4),
                  cudaSetDevice(0),
                  cudaMalloc(new Pointer(), 4),
                  cudaDeviceReset(),
                  cudaMalloc(new Pointer(), 4));
            }));
  }
}
