package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;
import static org.vramkit.agent.Answer.*;

import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphNode;
import jcuda.driver.CUmodule;
import jcuda.driver.JCudaDriver;
import jcuda.runtime.JCuda;
import org.bytedeco.cuda.cudart.CUctx_st;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUgraphExec_st;
import org.bytedeco.cuda.cudart.CUgraphNode_st;
import org.bytedeco.cuda.cudart.CUgraph_st;
import org.bytedeco.cuda.cudart.CUmemPoolHandle_st;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.cudart.cudaKernelNodeParams;
import org.bytedeco.cuda.cudart.dim3;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.bytedeco.javacpp.SizeTPointer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@SimulatedCuda
@DisplayName("As on an H200: arguments and calls that are refused:")
class RefusalAnswersTest {
  private static final int GLOBAL = 0;

  @BeforeEach
  void returnStatuses() {
    JCudaDriver.setExceptionsEnabled(false);
    JCuda.setExceptionsEnabled(false);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"memory", "events", "contexts", "captures", "graphs", "launches", "jcuda"})
  void answers(Answer answer) throws Exception {
    answer.check();
  }

  /** Joins the answers to calls, each with memory or with a capture of its own. */
  private static String each(IntSupplier... calls) {
    return Stream.of(calls)
        .map(call -> String.valueOf(call.getAsInt()))
        .collect(Collectors.joining(" "));
  }

  static Stream<Answer> memory() {
    return Stream.of(
        of(
            "0 bytes of the runtime: plain, host, managed, in stream order; of the driver",
            "0 0 0 0; 1 0 1 0",
            () -> {
              cudaFree(null);
              long[] address = new long[1];
              return say(
                  each(
                      () -> cudaMalloc(new Pointer(), 0),
                      () -> cudaMallocHost(new Pointer(), 0),
                      () -> cudaMallocManaged(new Pointer(), 0, 1),
                      () -> cudaMallocAsync(new Pointer(), 0, null)),
                  each(
                      () -> cuMemAlloc(address, 0),
                      () -> cuMemAllocHost(new PointerPointer<>(1), 0),
                      () -> cuMemAllocManaged(address, 0, 1),
                      () -> cuMemAllocAsync(address, 0, null)));
            }),
        of(
            "0 rows of 512 bytes, of the runtime and of the driver; more than there is, the pitch",
            "0; 1; 2 512",
            () -> {
              SizeTPointer pitch = new SizeTPointer(1);
              return say(
                  cudaMallocPitch(new Pointer(), pitch, 512, 0),
                  cuMemAllocPitch(new long[1], pitch, 512, 0, 4),
                  cudaMallocPitch(new Pointer(), pitch, 1, PETA) + " " + pitch.get());
            }),
        of(
            "freed as plain, as host memory, in stream order, unregistered: pageable; device; within",
            "1 1 1 713; 0 1 0 1; 1 1 1 1",
            () ->
                say(
                    frees(() -> new BytePointer(64)),
                    frees(() -> device(64)),
                    frees(() -> plus(device(64), 4)))),
        of(
            "the range of an unknown address; what is written",
            "500; 0; 0",
            () -> {
              cudaFree(null);
              long[] base = {-7};
              SizeTPointer size = new SizeTPointer(1).put(-7);
              return say(cuMemGetAddressRange(base, size, 0x1000), base[0], size.get());
            }));
  }

  private static String frees(Supplier<Pointer> memory) {
    return each(
        () -> cudaFree(memory.get()),
        () -> cudaFreeHost(memory.get()),
        () -> cudaFreeAsync(memory.get(), null),
        () -> cudaHostUnregister(memory.get()));
  }

  static Stream<Answer> events() {
    return Stream.of(
        of(
            "flags of events: 0 to 8",
            "0 0 0 0 1 1 0 0 1",
            () ->
                IntStream.rangeClosed(0, 8)
                    .mapToObj(flags -> "" + cudaEventCreateWithFlags(new CUevent_st(), flags))
                    .collect(Collectors.joining(" "))),
        of(
            "a time with null for an event, for the float; of the driver; of one event",
            "400; 1; 400; 0 0.0",
            () -> {
              CUevent_st event = event();
              cudaEventRecord(event, null);
              cudaDeviceSynchronize();
              float[] millis = {-1};
              return say(
                  cudaEventElapsedTime(millis, null, event),
                  cudaEventElapsedTime((float[]) null, event, event),
                  cuEventElapsedTime((float[]) null, event, event),
                  cudaEventElapsedTime(millis, event, event) + " " + millis[0]);
            }),
        of(
            "external records outside of a capture: in the runtime; in the driver; unknown flags",
            "401; 401; 1",
            () ->
                say(
                    cudaEventRecordWithFlags(event(), null, 1),
                    cuEventRecordWithFlags(event(), null, 1),
                    cudaEventRecordWithFlags(event(), null, 2))));
  }

  static Stream<Answer> contexts() {
    return Stream.of(
        of(
            "a context of its own is current: flags of the device; an allocation; after its end",
            "49; 0; 201",
            () -> {
              cudaFree(null);
              CUctx_st own = new CUctx_st();
              cuCtxCreate(own, null, 0, 0);
              int flags = cudaSetDeviceFlags(0);
              int allocated = cudaMalloc(new Pointer(), 4);
              cuCtxDestroy(own);
              cuCtxSetCurrent(own);
              return say(flags, allocated, cudaMalloc(new Pointer(), 4));
            }),
        of(
            "limits that the device does not have; that nobody has",
            "215 215; 1 1",
            () -> {
              SizeTPointer value = new SizeTPointer(1);
              return say(
                  each(() -> cudaDeviceGetLimit(value, 3), () -> cuCtxGetLimit(value, 3)),
                  each(() -> cudaDeviceGetLimit(value, 99), () -> cuCtxGetLimit(value, 99)));
            }));
  }

  /** Returns the statuses of a call beside a capture, and of the capture's end. */
  private static String beside(IntSupplier call) {
    CUstream_st stream = stream();
    cudaStreamBeginCapture(stream, GLOBAL);
    int status = call.getAsInt();
    return status + " " + cudaStreamEndCapture(stream, new CUgraph_st());
  }

  static Stream<Answer> captures() {
    return Stream.of(
        of(
            "beside a capture: free, of host memory, unregistration, a limit, a pool, a query",
            "900 901; 900 901; 900 901; 900 901; 900 901; 900 901",
            () -> {
              Pointer plain = device(64);
              Pointer host = locked(64);
              IntPointer registered = new IntPointer(16L);
              cudaHostRegister(registered, 64, 0);
              CUmemPoolHandle_st pool = new CUmemPoolHandle_st();
              cudaDeviceGetDefaultMemPool(pool, 0);
              CUstream_st other = stream();
              return say(
                  beside(() -> cudaFree(plain)),
                  beside(() -> cudaFreeHost(host)),
                  beside(() -> cudaHostUnregister(registered)),
                  beside(() -> cudaDeviceSetLimit(0, 4096)),
                  beside(() -> cudaDeviceSetMemPool(0, pool)),
                  beside(() -> cudaStreamQuery(other)));
            }),
        of(
            "beside a capture: an instantiation; a copy from and to the host; the time of events",
            "900 901; 0 0; 0 0; 0 0",
            () -> {
              Pointer d = device(64);
              IntPointer host = new IntPointer(1L);
              CUgraph_st graph = GraphPrograms.graph();
              CUevent_st event = event();
              cudaEventRecord(event, null);
              cudaDeviceSynchronize();
              return say(
                  beside(() -> cudaGraphInstantiate(new CUgraphExec_st(), graph, 0)),
                  beside(() -> cudaMemcpy(d, host, 4, cudaMemcpyHostToDevice)),
                  beside(() -> cudaMemcpy(host, d, 4, cudaMemcpyDeviceToHost)),
                  beside(() -> cudaEventElapsedTime(new float[1], event, event)));
            }),
        of(
            "beside the capture of a blocking stream: a kernel on the default stream; the end",
            "906; 901",
            () -> {
              CUfunc_st kernel = function("tiny");
              CUstream_st blocking = new CUstream_st();
              cudaStreamCreate(blocking);
              cudaStreamBeginCapture(blocking, GLOBAL);
              return say(launch(kernel, 1, 1, 0), cudaStreamEndCapture(blocking, new CUgraph_st()));
            }));
  }

  static Stream<Answer> graphs() {
    return Stream.of(
        of(
            "the kernel of a node: null; a function of a module; a kernel of a library",
            "98; 400; 0",
            () -> {
              cudaFree(null);
              return say(node(null), node(function("tiny")), node(kernel("tiny")));
            }),
        of(
            "room for no node; an instantiation with flags 1, 8, 16",
            "1; 0 0 1",
            () -> {
              CUgraph_st graph = GraphPrograms.graph();
              GraphPrograms.empty(graph);
              SizeTPointer none = new SizeTPointer(1).put(0);
              return say(
                  cudaGraphGetNodes(graph, new CUgraphNode_st(), none),
                  each(
                      () -> cudaGraphInstantiateWithFlags(new CUgraphExec_st(), graph, 1),
                      () -> cudaGraphInstantiateWithFlags(new CUgraphExec_st(), graph, 8),
                      () -> cudaGraphInstantiateWithFlags(new CUgraphExec_st(), graph, 16)));
            }));
  }

  private static int node(@Nullable Pointer function) {
    cudaKernelNodeParams parameters = new cudaKernelNodeParams();
    parameters.func(function).gridDim(new dim3(1, 1, 1)).blockDim(new dim3(1, 1, 1));
    CUgraph_st graph = GraphPrograms.graph();
    return cudaGraphAddKernelNode(new CUgraphNode_st(), graph, null, 0, parameters);
  }

  static Stream<Answer> launches() {
    return Stream.of(
        of(
            "a list of parameters and packed ones at once",
            "1",
            () ->
                cuLaunchKernel(
                    function("tiny"),
                    1,
                    1,
                    1,
                    1,
                    1,
                    1,
                    0,
                    null,
                    new PointerPointer<>(1),
                    new PointerPointer<>(1))),
        of(
            "null in the place of a function: of the runtime's questions, preferences, an attribute",
            "98 98; 98; 98 1; 400",
            () -> {
              cudaFree(null);
              int[] number = new int[1];
              SizeTPointer size = new SizeTPointer(1);
              return say(
                  each(
                      () -> cudaOccupancyMaxActiveBlocksPerMultiprocessor(number, null, 32, 0),
                      () -> cudaFuncGetParamInfo(null, 0, size, size)),
                  cudaFuncSetCacheConfig(null, 1),
                  each(
                      () -> cudaFuncSetAttribute(null, 8, 0),
                      () -> cudaFuncSetAttribute(null, 99, 0)),
                  cuFuncSetCacheConfig(null, 1));
            }),
        of(
            "options of the compiler: a target of 32; of the linker alone; a removed one; unknown",
            "1 1 218 1",
            () ->
                each(
                    () -> withOption(9, 32),
                    () -> withOption(14, 1),
                    () -> withOption(15, 1),
                    () -> withOption(99, 1))));
  }

  static int withOption(int option, long value) {
    cudaFree(null);
    PointerPointer<Pointer> values = new PointerPointer<>(1);
    new BytePointer(values).putLong(value);
    return cuModuleLoadDataEx(
        new CUmod_st(), new BytePointer(ptx()), 1, new int[] {option}, values);
  }

  static Stream<Answer> jcuda() {
    return Stream.of(
        of(
            "JCuda writes 0 when a limit, an attribute, a module, a pitch is refused",
            "1 0; 1 0; 200 true; 1 0",
            () -> {
              cudaFree(null);
              long[] limit = {-7};
              int[] attribute = {-7};
              long[] pitch = {-7};
              CUmodule module = new CUmodule();
              return say(
                  JCudaDriver.cuCtxGetLimit(limit, 99) + " " + limit[0],
                  JCuda.cudaDeviceGetAttribute(attribute, 9999, 0) + " " + attribute[0],
                  JCudaDriver.cuModuleLoadData(module, "garbage")
                      + " "
                      + module.equals(new CUmodule()),
                  JCudaDriver.cuMemAllocPitch(new CUdeviceptr(), pitch, 4, 4, 3) + " " + pitch[0]);
            }),
        of(
            "JCuda's exceptions: an empty array of texts; two nodes to follow, one in the array",
            "String array must at least have length 1; "
                + "Array length and number of dependencies do not match",
            () -> {
              cudaFree(null);
              CUgraph graph = new CUgraph();
              JCudaDriver.cuGraphCreate(graph, 0);
              CUgraphNode[] before = {new CUgraphNode()};
              return say(
                  thrown(() -> JCudaDriver.cuGetErrorName(1, new String[0])),
                  thrown(
                      () -> JCudaDriver.cuGraphAddEmptyNode(new CUgraphNode(), graph, before, 2)));
            }),
        of(
            "an id of the bus with room for 5 characters",
            "1; 0000",
            () -> {
              cudaFree(null);
              String[] id = {"x"};
              return say(JCuda.cudaDeviceGetPCIBusId(id, 5, 0), id[0]);
            }));
  }

  private static String thrown(IntSupplier call) {
    try {
      return "status " + call.getAsInt();
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
