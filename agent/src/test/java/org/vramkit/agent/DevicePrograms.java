package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;
import static org.vramkit.agent.Answer.*;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bytedeco.cuda.cudart.CUctx_st;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUhostFn;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.cudart.cudaDeviceProp;
import org.bytedeco.cuda.cudart.cudaHostFn_t;
import org.bytedeco.cuda.cudart.cudaLaunchAttribute;
import org.bytedeco.cuda.cudart.cudaLaunchConfig_t;
import org.bytedeco.cuda.cudart.cudaMemLocation;
import org.bytedeco.cuda.cudart.cudaPointerAttributes;
import org.bytedeco.cuda.cudart.cudaStreamCallback_t;
import org.bytedeco.cuda.cudart.dim3;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;

/** Programs with callbacks and structs, apart from the tests that JUnit loads. */
final class DevicePrograms {
  /** The state after a call that makes the primary context current. */
  static final String MADE = "SUCCESS; current true; active 1";

  /** The state after a call that needs no context. */
  static final String NONE = "SUCCESS; current false; active 0";

  private DevicePrograms() {}

  static int choose() {
    return cudaChooseDevice(new int[1], new cudaDeviceProp());
  }

  static boolean isCurrent() {
    CUctx_st context = new CUctx_st();
    cuCtxGetCurrent(context);
    return !context.isNull();
  }

  static int active() {
    int[] flags = new int[1];
    int[] active = new int[1];
    cuDevicePrimaryCtxGetState(0, flags, active);
    return active[0];
  }

  /** Answers whether a call makes the context. */
  static Answer maker(String call, String made, IntSupplier asked) {
    return Answer.of(call + ", alone in a process", made, () -> state(asked));
  }

  /** Makes the first call of a process; returns its status and what it has made. */
  static String state(IntSupplier call) {
    return say(name(call.getAsInt()), "current " + isCurrent(), "active " + active());
  }

  static String inHostFunction(IntSupplier call) {
    cudaFree(null);
    List<String> seen = new ArrayList<>();
    cudaHostFn_t function =
        new cudaHostFn_t() {
          @Override
          public void call(Pointer data) {
            seen.add(name(call.getAsInt()));
            seen.add(name(cudaGetLastError()));
          }
        };
    cudaLaunchHostFunc(null, function, null);
    cudaStreamSynchronize(null);
    seen.add(name(cudaGetLastError()));
    return String.join("; ", seen);
  }

  static String refusedCallbacks() {
    CUstream_st stream = stream();
    cudaStreamCallback_t callback =
        new cudaStreamCallback_t() {
          @Override
          public void call(CUstream_st on, int status, Pointer data) {
            throw new IllegalStateException("called");
          }
        };
    return names(
        cudaStreamAddCallback(stream, callback, null, 1),
        cudaStreamAddCallback(stream, null, null, 0),
        cudaLaunchHostFunc(stream, null, null));
  }

  static String threads() {
    CUstream_st stream = stream();
    List<Thread> threads = new ArrayList<>();
    List<String> seen = new ArrayList<>();
    CUhostFn function =
        new CUhostFn() {
          @Override
          public void call(Pointer data) {
            Thread thread = Thread.currentThread();
            threads.add(thread);
            seen.add(
                data == null
                    ? "null"
                    : thread.isDaemon()
                        + " "
                        + thread.getThreadGroup().getName().equals("main")
                        + " "
                        + (thread.getContextClassLoader() == null)
                        + " "
                        + new IntPointer(data).get());
          }
        };
    Pointer data = new IntPointer(new int[] {77});
    cuLaunchHostFunc(stream, function, data);
    for (int i = 0; i < 5; i++) {
      cuLaunchHostFunc(stream, function, null);
      cudaStreamSynchronize(stream);
    }
    return say(
        threads.get(0).getName().startsWith("JavaCPP Thread ID "),
        seen.get(0),
        threads.stream().allMatch(each -> each == threads.get(0)),
        threads.get(0).isAlive() && seen.get(1).equals("null"));
  }

  static String throwing() {
    CUhostFn function =
        new CUhostFn() {
          @Override
          public void call(Pointer data) {
            throw new IllegalStateException("lost");
          }
        };
    cudaFree(null);
    return names(
        cuLaunchHostFunc(null, function, null), cudaStreamSynchronize(null), cudaGetLastError());
  }

  /** Loads a module with an error log of a size; returns status, length and text. */
  static String log(String image, int bytes) {
    BytePointer log = new BytePointer(bytes);
    PointerPointer<Pointer> values = new PointerPointer<>(2);
    values.put(0, log);
    new LongPointer(values).put(1, bytes);
    int status =
        cuModuleLoadDataEx(new CUmod_st(), new BytePointer(image), 2, new int[] {5, 6}, values);
    return say(status, new LongPointer(values).get(1), log.getString().replaceAll("(?s)\0.*", ""));
  }

  /** Returns the properties of a device that a text names, with their values. */
  static String properties(String named) {
    cudaDeviceProp properties = new cudaDeviceProp();
    cudaGetDeviceProperties(properties, 0);
    return Stream.of(named.split(" ", -1))
        .map(each -> property(properties, each.substring(0, each.indexOf('='))))
        .collect(Collectors.joining(" "));
  }

  private static String property(cudaDeviceProp properties, String name) {
    try {
      if (name.endsWith("]")) {
        String[] parts = name.split("[\\[\\]]", -1);
        Method element = cudaDeviceProp.class.getMethod(parts[0], int.class);
        return name + "=" + element.invoke(properties, Integer.parseInt(parts[1]));
      }
      return name + "=" + cudaDeviceProp.class.getMethod(name).invoke(properties);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(name, e);
    }
  }

  static int propertiesOf(int device) {
    return cudaGetDeviceProperties(new cudaDeviceProp(), device);
  }

  static int attributesOf(Pointer pointer) {
    return cudaPointerGetAttributes(new cudaPointerAttributes(), pointer);
  }

  /** Advises that memory at a place of a type is mostly read. */
  static int advise(Pointer managed, int place) {
    cudaMemLocation location = new cudaMemLocation().type(place).id(0);
    return cudaMemAdvise(managed, 64, cudaMemAdviseSetReadMostly, location);
  }

  static String clusters(CUfunc_st function, int blocks, int size) {
    cudaLaunchAttribute attribute = new cudaLaunchAttribute();
    attribute.id(cudaLaunchAttributeClusterDimension);
    new IntPointer(attribute).position(2).put(size, 1, 1);
    cudaLaunchConfig_t config = new cudaLaunchConfig_t();
    config.gridDim(new dim3(blocks, 1, 1)).blockDim(new dim3(1, 1, 1));
    config.attrs(attribute).numAttrs(1);
    return name(cudaLaunchKernelExC(config, function, (PointerPointer<?>) null));
  }
}
