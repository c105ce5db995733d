package org.vramkit.agent;

import static jcuda.driver.JCudaDriver.*;
import static org.vramkit.agent.Answer.*;
import static org.vramkit.agent.DriverProgram.device;
import static org.vramkit.agent.DriverProgram.function;
import static org.vramkit.agent.DriverProgram.module;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import jcuda.CudaException;
import jcuda.NativePointerObject;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphNode;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;
import jcuda.driver.JITOptions;
import jcuda.runtime.JCuda;
import jcuda.runtime.cudaStream_t;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@SimulatedCuda
@DisplayName("JCuda answers as on an H200:")
class PointerAnswersTest {
  @BeforeEach
  void initialize() {
    JCudaDriver.setExceptionsEnabled(false);
    JCuda.setExceptionsEnabled(false);
    cuInit(0);
    cuCtxCreate(new CUcontext(), 0, device());
  }

  @AfterEach
  void noExceptions() {
    JCudaDriver.setExceptionsEnabled(false);
    JCuda.setExceptionsEnabled(false);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"pointers", "launches", "exceptions", "others"})
  void answers(Answer answer) throws Exception {
    answer.check();
  }

  private static CUdeviceptr allocated(int bytes) {
    CUdeviceptr d = new CUdeviceptr();
    cuMemAlloc(d, bytes);
    cuMemsetD8(d, (byte) 0, bytes);
    return d;
  }

  private static String masked(Object pointer) {
    return pointer.toString().replaceAll("0x[0-9a-f]{3,}", "0xADDRESS");
  }

  private static float[] counting(int count) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = i;
    }
    return values;
  }

  /** Copies 4 bytes to a device and back; returns the status and the float. */
  private static String copied(Pointer source) {
    CUdeviceptr d = allocated(4);
    int status = cuMemcpyHtoD(d, source, 4);
    float[] read = new float[1];
    cuMemcpyDtoH(Pointer.to(read), d, 4);
    return status + "; " + read[0];
  }

  static Stream<Answer> pointers() {
    return Stream.of(
        of(
            "an allocated address as text; 8 bytes further",
            "CUdeviceptr[nativePointer=0xADDRESS,byteOffset=0];"
                + " CUdeviceptr[nativePointer=0xADDRESS,byteOffset=8]",
            () -> {
              CUdeviceptr d = allocated(64);
              return say(masked(d), masked(d.withByteOffset(8)));
            }),
        of(
            "direct buffer at byte 8: Pointer.to; toBuffer",
            "0; 0.0; 0; 2.0",
            () -> {
              ByteBuffer direct = ByteBuffer.allocateDirect(32).order(ByteOrder.nativeOrder());
              direct.asFloatBuffer().put(counting(8));
              direct.position(8);
              return say(copied(Pointer.to(direct)), copied(Pointer.toBuffer(direct)));
            }),
        of(
            "heap buffer at element 3: Pointer.to; toBuffer",
            "0; 0.0; 0; 3.0",
            () -> {
              FloatBuffer heap = FloatBuffer.wrap(counting(8)).position(3);
              return say(copied(Pointer.to(heap)), copied(Pointer.toBuffer(heap)));
            }),
        of(
            "a slice of a heap buffer at 3: Pointer.to",
            "0; 0.0",
            () -> copied(Pointer.to(FloatBuffer.wrap(counting(8)).position(3).slice()))),
        of(
            "getByteBuffer of an allocated address; of a range of it",
            "null; null",
            () -> {
              CUdeviceptr d = allocated(64);
              return say(d.getByteBuffer(), d.getByteBuffer(0, 4));
            }),
        of(
            "page-locked memory: status; text; capacity, order, direct; a range",
            "0; Pointer[buffer=java.nio.DirectByteBuffer[pos=0 lim=64 cap=64],byteOffset=0]; 64"
                + " LITTLE_ENDIAN true; 16 LITTLE_ENDIAN; 0; true",
            () -> {
              Pointer host = new Pointer();
              int status = cuMemAllocHost(host, 64);
              ByteBuffer all = host.getByteBuffer();
              ByteBuffer part = host.getByteBuffer(8, 16);
              return say(
                  status,
                  host,
                  all.capacity() + " " + all.order() + " " + all.isDirect(),
                  part.capacity() + " " + part.order(),
                  cuMemFreeHost(host),
                  host.getByteBuffer() != null);
            }),
        of(
            "managed memory: status; its buffer; a range",
            "0; null; null",
            () -> {
              CUdeviceptr managed = new CUdeviceptr();
              int status = cuMemAllocManaged(managed, 64, 1);
              return say(status, managed.getByteBuffer(), managed.getByteBuffer(0, 64));
            }),
        of(
            "an asynchronous copy to a heap buffer, then a synchronization",
            "0; 5",
            () -> {
              CUdeviceptr d = allocated(4);
              cuMemsetD32(d, 5, 1);
              ByteBuffer heap = ByteBuffer.allocate(4).order(ByteOrder.nativeOrder());
              CUstream stream = new CUstream();
              cuStreamCreate(stream, 1);
              int status = cuMemcpyDtoHAsync(Pointer.to(heap), d, 4, stream);
              cuStreamSynchronize(stream);
              return say(status, heap.getInt(0));
            }),
        of(
            "an asynchronous copy to a direct buffer; to page-locked memory",
            "0; 5; 0; 5",
            () -> {
              CUdeviceptr d = allocated(4096);
              cuMemsetD32(d, 5, 1024);
              ByteBuffer direct = ByteBuffer.allocateDirect(4096).order(ByteOrder.nativeOrder());
              CUstream stream = new CUstream();
              cuStreamCreate(stream, 1);
              cuCtxSynchronize();
              int status = cuMemcpyDtoHAsync(Pointer.to(direct), d, 4096, stream);
              cuStreamSynchronize(stream);
              Pointer host = new Pointer();
              cuMemAllocHost(host, 4096);
              int locked = cuMemcpyDtoHAsync(host, d, 4096, stream);
              cuStreamSynchronize(stream);
              return say(status, direct.getInt(0), locked, host.getByteBuffer().getInt(0));
            }));
  }

  private static String launched(String kernel, CUdeviceptr d, @Nullable Pointer list) {
    CUfunction function = function(kernel);
    int status = cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, null, list, null);
    int[] slots = new int[4];
    cuMemcpyDtoH(Pointer.to(slots), d, 16);
    return status + "; " + Arrays.toString(slots);
  }

  private static String counted(@Nullable Pointer list) {
    return launched("count", allocated(16), list).substring(0, 1);
  }

  static Stream<Answer> launches() {
    return Stream.of(
        of(
            "a direct buffer as an int; at byte 4",
            "0; [10, 0, 0, 0]; 0; [11, 0, 0, 0]",
            () -> {
              CUdeviceptr d = allocated(16);
              ByteBuffer direct = ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder());
              direct.putInt(0, 10).putInt(4, 11);
              Pointer value = Pointer.to(direct);
              return say(
                  launched("store", d, Pointer.to(Pointer.to(d), value)),
                  launched("store", d, Pointer.to(Pointer.to(d), value.withByteOffset(4))));
            }),
        of(
            "a kernel without parameters: null; an empty list; a null entry; an empty pointer",
            "0; 0; 0; 0",
            () ->
                say(
                    counted(null),
                    counted(Pointer.to()),
                    counted(Pointer.to((NativePointerObject) null)),
                    counted(Pointer.to(new Pointer())))));
  }

  private static String thrown(Runnable call) {
    try {
      call.run();
      return "nothing";
    } catch (CudaException | NullPointerException e) {
      return String.valueOf(e.getMessage());
    }
  }

  static Stream<Answer> exceptions() {
    return Stream.of(
        of(
            "null arguments",
            "Parameter 'hmod' is null for cuModuleGetFunction; Parameter 'name' is null for"
                + " cuModuleGetFunction; Parameter 'device' is null for cuDeviceGet; Parameter"
                + " 'pMilliseconds' is null for cuEventElapsedTime; Parameter 'dptr' is null for"
                + " cuMemFree; Parameter 'image' is null for cuModuleLoadData; Parameter 'f' is"
                + " null for cuLaunchKernel",
            () ->
                say(
                    thrown(() -> cuModuleGetFunction(new CUfunction(), null, "k")),
                    thrown(() -> cuModuleGetFunction(new CUfunction(), module(), null)),
                    thrown(() -> cuDeviceGet(null, 0)),
                    thrown(() -> cuEventElapsedTime(null, new CUevent(), new CUevent())),
                    thrown(() -> cuMemFree(null)),
                    thrown(() -> cuModuleLoadData(new CUmodule(), (byte[]) null)),
                    thrown(() -> cuLaunchKernel(null, 1, 1, 1, 1, 1, 1, 0, null, null, null)))),
        of(
            "exceptions before cuInit: a context; an allocation",
            "CUDA_ERROR_NOT_INITIALIZED; CUDA_ERROR_NOT_INITIALIZED",
            () -> {
              CudaProcess.get().initialized = false;
              JCudaDriver.setExceptionsEnabled(true);
              return say(
                  thrown(() -> cuCtxCreate(new CUcontext(), 0, new jcuda.driver.CUdevice())),
                  thrown(() -> cuMemAlloc(new CUdeviceptr(), 4)));
            }),
        of(
            "exceptions: a query of a busy stream; that of the runtime",
            "CUDA_ERROR_NOT_READY; cudaErrorInvalidDevice",
            () -> {
              CUstream stream = new CUstream();
              cuStreamCreate(stream, 1);
              CUdeviceptr d = allocated(64);
              cuCtxSynchronize();
              cuMemsetD8Async(d, (byte) 1, 64, stream);
              JCudaDriver.setExceptionsEnabled(true);
              JCuda.setExceptionsEnabled(true);
              return say(
                  thrown(() -> cuStreamQuery(stream)), thrown(() -> JCuda.cudaSetDevice(99)));
            }));
  }

  /** Returns what a call prints. */
  private static String printed(Runnable call) {
    PrintStream before = System.out;
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    System.setOut(new PrintStream(written, true, StandardCharsets.UTF_8));
    try {
      call.run();
    } finally {
      System.setOut(before);
    }
    return written.toString(StandardCharsets.UTF_8).strip();
  }

  @SuppressWarnings("deprecation") // cuCtxAttach
  static Stream<Answer> others() {
    int[] n = new int[1];
    return Stream.of(
        of(
            "memory in total; banks; set to 2; an attached context",
            "0 150109880320; 0 1; 0; 0",
            () -> {
              long[] total = new long[1];
              return say(
                  cuDeviceTotalMem(total, device()) + " " + total[0],
                  cuCtxGetSharedMemConfig(n) + " " + n[0],
                  cuCtxSetSharedMemConfig(2),
                  cuCtxAttach(new CUcontext(), 0));
            }),
        of(
            "the function that a log names",
            "Executing cuInit",
            () ->
                printed(
                    () -> {
                      JCudaDriver.setLogLevel(jcuda.LogLevel.LOG_TRACE);
                      cuInit(0);
                      JCudaDriver.setLogLevel(jcuda.LogLevel.LOG_ERROR);
                    })),
        of(
            "kinds 4 and 99 of the runtime",
            "Invalid cudaMemcpyKind given: 4; Invalid cudaMemcpyKind given: 99",
            () ->
                say(
                    printed(() -> JCuda.cudaMemcpy(allocated(4), Pointer.to(n), 4, 4)),
                    printed(() -> JCuda.cudaMemcpy(allocated(4), Pointer.to(n), 4, 99)))),
        of(
            "a stream of the runtime: status; text; query; destruction",
            "0 cudaStream_t[nativePointer=N] 0 0",
            () -> {
              cudaStream_t stream = new cudaStream_t();
              int status = JCuda.cudaStreamCreate(stream);
              String text = stream.toString().replaceAll("=[0-9]{5,}", "=N");
              return status
                  + " "
                  + text
                  + " "
                  + JCuda.cudaStreamQuery(stream)
                  + " "
                  + JCuda.cudaStreamDestroy(stream);
            }),
        of(
            "free memory of the runtime; synchronization; reset",
            "0 true; 0; 0",
            () -> {
              long[] free = new long[1];
              return say(
                  JCuda.cudaMemGetInfo(free, new long[1]) + " " + (free[0] > 0),
                  JCuda.cudaDeviceSynchronize(),
                  JCuda.cudaDeviceReset());
            }),
        of(
            "a module of bytes that end in a zero; its variable",
            "0; 0 4",
            () -> {
              byte[] image = Answer.ptx().getBytes(StandardCharsets.US_ASCII);
              CUmodule module = new CUmodule();
              int status = cuModuleLoadData(module, Arrays.copyOf(image, image.length + 1));
              long[] bytes = new long[1];
              int found = cuModuleGetGlobal(new CUdeviceptr(), bytes, module, "variable");
              return say(status, found + " " + bytes[0]);
            }),
        of(
            "the compiler's log in options",
            "218 ptxas application ptx input, line 3; fatal   : Parsing error near 'foo': syntax"
                + " error~ptxas fatal   : Ptx assembly aborted due to errors 136",
            () -> {
              JITOptions options = new JITOptions();
              options.putBytes(5, new byte[2048]);
              options.putInt(6, 2048);
              byte[] image =
                  ".version 8.0\n.target sm_70\nfoo\n\0".getBytes(StandardCharsets.US_ASCII);
              int status = cuModuleLoadDataJIT(new CUmodule(), Pointer.to(image), options);
              return status
                  + " "
                  + options.getString(5).replaceAll("(?s)\0.*", "").replace('\n', '~')
                  + " "
                  + options.getInt(6);
            }),
        of(
            "nodes of a graph of 3 into room for 4; for 2",
            "0 3 true; 0 2",
            () -> {
              CUgraph graph = new CUgraph();
              cuGraphCreate(graph, 0);
              for (int i = 0; i < 3; i++) {
                cuGraphAddEmptyNode(new CUgraphNode(), graph, null, 0);
              }
              CUgraphNode[] nodes = new CUgraphNode[4];
              Arrays.setAll(nodes, i -> new CUgraphNode());
              long[] count = {4};
              String four = cuGraphGetNodes(graph, nodes, count) + " " + count[0];
              four += " " + nodes[3].equals(new CUgraphNode());
              count[0] = 2;
              return say(four, cuGraphGetNodes(graph, nodes, count) + " " + count[0]);
            }));
  }
}
