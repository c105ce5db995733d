package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUkern_st;
import org.bytedeco.cuda.cudart.CUlib_st;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.cudart.cudaMemLocation;
import org.bytedeco.cuda.cudart.cudaPointerAttributes;
import org.bytedeco.cuda.cudart.dim3;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;
import org.jspecify.annotations.Nullable;

/**
 * A question about CUDA, what an H200 with driver 580 answered to it, and a program that asks it
 * here. Statuses of the runtime are written without {@code cudaError}; parts of an answer are
 * separated by semicolons.
 */
record Answer(String question, String observed, Callable<String> program) {
  static final long PETA = 1L << 50;

  /** The program of an answer, which may throw anything. */
  interface Program {
    Object ask() throws Exception;
  }

  static Answer of(String question, String observed, Program program) {
    return new Answer(question, observed, () -> String.valueOf(program.ask()));
  }

  void check() throws Exception {
    assertEquals(observed, program.call(), question);
  }

  @Override
  public String toString() {
    return question + ": " + observed;
  }

  /** Joins parts. */
  static String say(Object... parts) {
    return Arrays.stream(parts).map(String::valueOf).collect(Collectors.joining("; "));
  }

  /** Returns the names of statuses of the runtime. */
  static String names(int... statuses) {
    return Arrays.stream(statuses).mapToObj(Answer::name).collect(Collectors.joining("; "));
  }

  static String name(int status) {
    String known = cudaGetErrorName(status).getString();
    return status == 0 ? "SUCCESS" : known.replaceFirst("^cudaError", "");
  }

  static Pointer device(long bytes) {
    Pointer pointer = new Pointer();
    assertEquals(0, cudaMalloc(pointer, bytes));
    return pointer;
  }

  /** Returns memory of a device with an int. */
  static Pointer ints(int... values) {
    Pointer pointer = device(4L * values.length);
    assertEquals(
        0, cudaMemcpy(pointer, new IntPointer(values), 4L * values.length, cudaMemcpyHostToDevice));
    return pointer;
  }

  static int read(Pointer device) {
    IntPointer host = new IntPointer(1);
    assertEquals(0, cudaMemcpy(host, device, 4, cudaMemcpyDefault));
    return host.get();
  }

  static Pointer locked(long bytes) {
    Pointer pointer = new Pointer();
    assertEquals(0, cudaMallocHost(pointer, bytes));
    return pointer;
  }

  static Pointer managed(long bytes) {
    Pointer pointer = new Pointer();
    assertEquals(0, cudaMallocManaged(pointer, bytes, cudaMemAttachGlobal));
    return pointer;
  }

  static cudaMemLocation on(int device) {
    return new cudaMemLocation().type(1).id(device);
  }

  /** Returns a pointer some bytes further. */
  static Pointer plus(Pointer pointer, long bytes) {
    return new BytePointer(pointer).getPointer(bytes);
  }

  static CUstream_st stream() {
    CUstream_st stream = new CUstream_st();
    assertEquals(0, cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
    return stream;
  }

  static CUevent_st event() {
    CUevent_st event = new CUevent_st();
    cudaEventCreate(event);
    return event;
  }

  static String ptx() {
    try {
      return Files.readString(Path.of("src/test/resources/org/vramkit/agent/answers.ptx"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static CUmod_st module() {
    assertEquals(0, cudaFree(null));
    CUmod_st module = new CUmod_st();
    assertEquals(0, cuModuleLoadData(module, new BytePointer(ptx())));
    return module;
  }

  static CUfunc_st function(String name) {
    CUfunc_st function = new CUfunc_st();
    assertEquals(0, cuModuleGetFunction(function, module(), name));
    return function;
  }

  /** Returns a kernel of a library, which the runtime takes for a node of a graph. */
  static CUfunc_st kernel(String name) {
    CUkern_st kernel = new CUkern_st();
    assertEquals(0, cuLibraryGetKernel(kernel, library(), name));
    return new CUfunc_st(kernel);
  }

  static CUlib_st library() {
    assertEquals(0, cudaFree(null));
    CUlib_st library = new CUlib_st();
    BytePointer image = new BytePointer(ptx());
    int loaded = cuLibraryLoadData(library, image, (int[]) null, null, 0, (int[]) null, null, 0);
    assertEquals(0, loaded);
    return library;
  }

  /** Launches a kernel without parameters, with a grid of x blocks. */
  static int launch(CUfunc_st function, int blocks, int threads, int shared) {
    return cudaLaunchKernel(
        function,
        new dim3(blocks, 1, 1),
        new dim3(threads, 1, 1),
        (PointerPointer<?>) null,
        shared,
        null);
  }

  /** Adds a number to an int by a kernel. */
  static int add(Pointer target, int value, @Nullable CUstream_st stream) {
    return cuLaunchKernel(
        function("add"), 1, 1, 1, 1, 1, 1, 0, stream, parameters(target, value), null);
  }

  static PointerPointer<Pointer> parameters(Pointer target, int value) {
    return new PointerPointer<>(
        new LongPointer(new long[] {target.address()}), new IntPointer(new int[] {value}));
  }

  /** Describes the attributes of an address. */
  static String attributes(@Nullable Pointer pointer) {
    cudaPointerAttributes known = new cudaPointerAttributes();
    assertEquals(0, cudaPointerGetAttributes(known, pointer));
    long asked = pointer == null ? 0 : pointer.address();
    return "type %d device %d devicePointer %s hostPointer %s"
        .formatted(
            known.type(),
            known.device(),
            side(known.devicePointer(), asked),
            side(known.hostPointer(), asked));
  }

  private static String side(@Nullable Pointer side, long asked) {
    return side == null ? "null" : side.address() == asked ? "it" : "another";
  }
}
