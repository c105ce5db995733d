package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;
import static org.vramkit.agent.Answer.*;
import static org.vramkit.agent.DevicePrograms.*;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.bytedeco.cuda.cudart.CUctx_st;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@SimulatedCuda
@DisplayName("As on an H200: the driver's contexts and the runtime:")
class SharedContextAnswersTest {

  @ParameterizedTest(name = "{0}")
  @MethodSource({"makers", "primary", "own", "mixed", "reset"})
  void answers(Answer answer) throws Exception {
    answer.check();
  }

  static Stream<Answer> makers() {
    int[] n = new int[1];
    return Stream.of(
        maker("cuInit", NONE, () -> cuInit(0)),
        maker(
            "cudaMemGetInfo", MADE, () -> cudaMemGetInfo(new SizeTPointer(1), new SizeTPointer(1))),
        maker("properties", NONE, () -> propertiesOf(0)),
        maker("attributes of a host address", NONE, () -> attributesOf(new IntPointer(1))),
        maker("cudaRuntimeGetVersion", NONE, () -> cudaRuntimeGetVersion(n)),
        maker("cudaDriverGetVersion", NONE, () -> cudaDriverGetVersion(n)),
        maker("cudaGetLastError", NONE, () -> cudaGetLastError()));
  }

  private static CUctx_st current() {
    CUctx_st context = new CUctx_st();
    cuCtxGetCurrent(context);
    return context;
  }

  private static CUctx_st retained() {
    CUctx_st primary = new CUctx_st();
    cuDevicePrimaryCtxRetain(primary, 0);
    return primary;
  }

  private static CUctx_st created() {
    cuInit(0);
    CUctx_st own = new CUctx_st();
    cuCtxCreate(own, null, 0, 0);
    return own;
  }

  private static <T> T onThread(Callable<T> call) {
    return CompletableFuture.supplyAsync(
            () -> {
              try {
                return call.call();
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            })
        .join();
  }

  /** Names a context that is current. */
  private static String which(CUctx_st own) {
    return current().isNull() ? "null" : current().equals(own) ? "own" : "primary";
  }

  static Stream<Answer> primary() {
    int[] n = new int[1];
    return Stream.of(
        of(
            "the runtime's context is that of a retain",
            "true",
            () -> {
              cudaFree(null);
              return current().equals(retained());
            }),
        of(
            "a second thread: current at first; cudaMalloc; the same context",
            "true; SUCCESS; true",
            () -> {
              cudaFree(null);
              CUctx_st first = current();
              return onThread(
                  () ->
                      say(
                          current().isNull(),
                          name(cudaMalloc(new Pointer(), 4)),
                          current().equals(first)));
            }),
        of(
            "cudaSetDeviceFlags(4) with a live context; cudaGetDeviceFlags; those of the primary",
            "SUCCESS; SUCCESS 12; 4",
            () -> {
              cudaFree(null);
              int set = cudaSetDeviceFlags(4);
              String got = name(cudaGetDeviceFlags(n)) + " " + n[0];
              int[] flags = new int[1];
              cuDevicePrimaryCtxGetState(0, flags, n);
              return say(name(set), got, flags[0]);
            }),
        of(
            "flags of the primary context while it is active",
            "0",
            () -> {
              cudaFree(null);
              return cuDevicePrimaryCtxSetFlags(0, 2);
            }),
        of(
            "a release and a reset without a retain",
            "201; 0",
            () -> {
              cuInit(0);
              return say(cuDevicePrimaryCtxRelease(0), cuDevicePrimaryCtxReset(0));
            }),
        of(
            "retained twice; the same; released twice; active by the runtime's retain",
            "0 0 true; 0 0; 1",
            () -> {
              cudaFree(null);
              CUctx_st one = new CUctx_st();
              CUctx_st two = new CUctx_st();
              String retained = cuDevicePrimaryCtxRetain(one, 0) + " ";
              retained += cuDevicePrimaryCtxRetain(two, 0) + " " + one.equals(two);
              String released = cuDevicePrimaryCtxRelease(0) + " " + cuDevicePrimaryCtxRelease(0);
              return say(retained, released, active());
            }),
        of(
            "flags and device of the runtime's context",
            "8; 0",
            () -> {
              cudaFree(null);
              cuCtxGetFlags(n);
              int flags = n[0];
              cuCtxGetDevice(n);
              return say(flags, n[0]);
            }));
  }

  static Stream<Answer> own() {
    int[] n = new int[1];
    return Stream.of(
        of("current after cuCtxCreate", "own", () -> which(created())),
        of(
            "own context: cudaMalloc; its context; a launch; value; device",
            "SUCCESS; 0 own; SUCCESS; 5; SUCCESS 0",
            () -> {
              CUctx_st own = created();
              Pointer d = new Pointer();
              int allocated = cudaMalloc(d, 4);
              LongPointer context = new LongPointer(1);
              String of = cuPointerGetAttribute(context, 1, d.address()) + " ";
              of += context.get() == own.address() ? "own" : "another";
              cudaMemset(d, 0, 4);
              CUfunc_st add = function("add");
              int launched = cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, null, parameters(d, 5), null);
              return say(
                  name(allocated),
                  of,
                  name(launched),
                  read(d),
                  name(cudaGetDevice(n)) + " " + n[0]);
            }),
        of(
            "cudaSetDevice then makes current; a pop gives; current then",
            "SUCCESS primary; 0 primary; null",
            () -> {
              CUctx_st own = created();
              String set = name(cudaSetDevice(0)) + " " + which(own);
              CUctx_st popped = new CUctx_st();
              String pop = cuCtxPopCurrent(popped) + " ";
              return say(set, pop + (popped.equals(own) ? "own" : "primary"), which(own));
            }),
        of(
            "versions of the interface of the own context; of the primary",
            "0 3020; 0 3020",
            () -> {
              String own = cuCtxGetApiVersion(created(), n) + " " + n[0];
              return say(own, cuCtxGetApiVersion(retained(), n) + " " + n[0]);
            }),
        of(
            "created; set; current; destroyed",
            "0; true; 0",
            () -> {
              CUctx_st own = created();
              int set = cuCtxSetCurrent(own);
              return say(set, current().equals(own), cuCtxDestroy(own));
            }));
  }

  static Stream<Answer> mixed() {
    return Stream.of(
        of(
            "cudaFree of the driver's memory; cuMemFree of the runtime's",
            "SUCCESS; SUCCESS",
            () -> {
              Pointer d = device(64L);
              long[] driver = new long[1];
              cuMemAlloc(driver, 64);
              Pointer given = new Pointer();
              JavaCppStructs.setAddress(given, driver[0]);
              return names(cudaFree(given), cuMemFree(d.address()));
            }),
        of(
            "cudaFreeHost of the driver's page-locked memory",
            "SUCCESS",
            () -> {
              cudaFree(null);
              Pointer host = new Pointer();
              cuMemAllocHost(host, 64);
              return names(cudaFreeHost(host));
            }),
        of(
            "stream and event of the driver: launch; record; synchronization; destructions",
            "SUCCESS; SUCCESS; SUCCESS; SUCCESS; SUCCESS",
            () -> {
              cudaFree(null);
              CUstream_st stream = new CUstream_st();
              CUevent_st event = new CUevent_st();
              cuStreamCreate(stream, 1);
              cuEventCreate(event, 0);
              CUfunc_st tiny = function("tiny");
              return names(
                  cuLaunchKernel(tiny, 1, 1, 1, 1, 1, 1, 0, stream, (Pointer) null, null),
                  cudaEventRecord(event, stream),
                  cudaStreamSynchronize(stream),
                  cudaEventDestroy(event),
                  cudaStreamDestroy(stream));
            }),
        of(
            "own context, a stream of the primary: set; record; query; copy",
            "SUCCESS; SUCCESS; NotReady; SUCCESS",
            () -> {
              Pointer d = device(64L);
              CUstream_st stream = stream();
              CUevent_st event = event();
              created();
              return names(
                  cudaMemsetAsync(d, 1, 4, stream),
                  cudaEventRecord(event, stream),
                  cudaStreamQuery(stream),
                  cudaMemcpyAsync(d, new IntPointer(1), 4, 1, stream));
            }),
        of(
            "own context: the context of stream 0; of the primary's stream",
            "0 own; 0 primary",
            () -> {
              CUstream_st stream = stream();
              CUctx_st own = created();
              CUctx_st of = new CUctx_st();
              String zero = cuStreamGetCtx(null, of) + (of.equals(own) ? " own" : " another");
              String other = cuStreamGetCtx(stream, of) + " ";
              return say(zero, other + (of.equals(retained()) ? "primary" : "another"));
            }),
        of(
            "without a context: cuModuleLoadData",
            "201",
            () -> {
              cuInit(0);
              return cuModuleLoadData(new CUmod_st(), new BytePointer(ptx()));
            }));
  }

  static Stream<Answer> reset() {
    return Stream.of(
        of(
            "reset: attributes of the old memory; of the old page-locked memory",
            "type 0 device -2 devicePointer null hostPointer it; type 0 device -2 devicePointer"
                + " null hostPointer it",
            () -> {
              Pointer d = device(64L);
              Pointer host = locked(64);
              cudaDeviceReset();
              return say(attributes(d), attributes(host));
            }),
        of(
            "reset: cudaMalloc; current as before",
            "SUCCESS; true",
            () -> {
              device(64L);
              CUctx_st context = current();
              cudaDeviceReset();
              Pointer d = new Pointer();
              return say(name(cudaMalloc(d, 64)), current().equals(context));
            }),
        of(
            "a stack limit of 4096, then reset",
            "4096; SUCCESS 1024",
            () -> {
              SizeTPointer limit = new SizeTPointer(1);
              cudaDeviceSetLimit(0, 4096);
              cudaDeviceGetLimit(limit, 0);
              long before = limit.get();
              cudaDeviceReset();
              int status = cudaDeviceGetLimit(limit, 0);
              return say(before, name(status) + " " + limit.get());
            }),
        of(
            "reset by another thread; cudaMalloc; cudaSetDevice; cudaMalloc",
            "SUCCESS; SUCCESS; SUCCESS; SUCCESS",
            () -> {
              cudaFree(null);
              return names(
                  onThread(() -> cudaDeviceReset()),
                  cudaMalloc(new Pointer(), 4),
                  cudaSetDevice(0),
                  cudaMalloc(new Pointer(), 4));
            }),
        of(
            "a reset by the driver; cudaMalloc; get; get; cudaMalloc",
            "SUCCESS; SUCCESS; SUCCESS; SUCCESS; SUCCESS",
            () -> {
              cudaFree(null);
              return names(
                  cuDevicePrimaryCtxReset(0),
                  cudaMalloc(new Pointer(), 4),
                  cudaGetLastError(),
                  cudaGetLastError(),
                  cudaMalloc(new Pointer(), 4));
            }));
  }
}
