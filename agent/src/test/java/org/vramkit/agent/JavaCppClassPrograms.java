package org.vramkit.agent;

import static org.bytedeco.cuda.global.cudart.*;
import static org.vramkit.agent.Answer.say;

import java.util.ArrayList;
import java.util.List;
import org.bytedeco.cuda.cudart.CUDA_KERNEL_NODE_PARAMS_v2;
import org.bytedeco.cuda.cudart.CUDA_MEMCPY2D_v2;
import org.bytedeco.cuda.cudart.CUDA_MEMCPY3D_v2;
import org.bytedeco.cuda.cudart.CUctx_st;
import org.bytedeco.cuda.cudart.CUdevprop_v1;
import org.bytedeco.cuda.cudart.CUevent_st;
import org.bytedeco.cuda.cudart.CUhostFn;
import org.bytedeco.cuda.cudart.CUmemAllocationProp_v1;
import org.bytedeco.cuda.cudart.CUmemPoolProps_v1;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.cuda.cudart.cudaDeviceProp;
import org.bytedeco.cuda.cudart.cudaFuncAttributes;
import org.bytedeco.cuda.cudart.cudaMemcpy3DParms;
import org.bytedeco.cuda.cudart.cudaPitchedPtr;
import org.bytedeco.cuda.cudart.cudaPointerAttributes;
import org.bytedeco.cuda.cudart.dim3;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;

/** Programs with structs of JavaCPP, apart from the tests that JUnit loads. */
final class JavaCppClassPrograms {
  private JavaCppClassPrograms() {}

  static String limits(Pointer pointer) {
    return "position %d limit %d capacity %d"
        .formatted(pointer.position(), pointer.limit(), pointer.capacity());
  }

  static String masked(Object pointer) {
    return pointer.toString().replaceAll("ddress=0x[0-9a-f]+", "ddress=0x..");
  }

  static String sizes() {
    return say(
        new cudaDeviceProp().sizeof(),
        new cudaPointerAttributes().sizeof(),
        new cudaMemcpy3DParms().sizeof(),
        new CUDA_MEMCPY2D_v2().sizeof(),
        new CUDA_MEMCPY3D_v2().sizeof(),
        new CUmemAllocationProp_v1().sizeof(),
        new CUmemPoolProps_v1().sizeof(),
        new dim3().sizeof(),
        new cudaFuncAttributes().sizeof(),
        new CUdevprop_v1().sizeof(),
        new CUDA_KERNEL_NODE_PARAMS_v2().sizeof(),
        new CUstream_st().sizeof(),
        new CUevent_st().sizeof(),
        new CUctx_st().sizeof());
  }

  static String zeroed() {
    boolean zero = true;
    for (int i = 0; i < 50; i++) {
      for (Pointer each :
          List.of(new cudaDeviceProp(), new CUDA_MEMCPY2D_v2(), new cudaPointerAttributes())) {
        BytePointer bytes = new BytePointer(each).capacity(each.sizeof());
        for (int at = 0; at < each.sizeof(); at++) {
          zero &= bytes.get(at) == 0;
          bytes.put(at, (byte) 7);
        }
        each.deallocate();
      }
    }
    return String.valueOf(zero);
  }

  static String array() {
    CUDA_MEMCPY2D_v2 three = new CUDA_MEMCPY2D_v2(3);
    CUDA_MEMCPY2D_v2 second = three.getPointer(1);
    return say(limits(three), second.address() - three.address(), limits(second), masked(three));
  }

  static String extents() {
    dim3 given = new dim3(5, 6, 7);
    dim3 none = new dim3();
    return say(
        given.x() + " " + given.y() + " " + given.z(),
        none.x() + " " + none.y() + " " + none.z(),
        limits(new dim3(8L)));
  }

  @SuppressWarnings("ReferenceEquality") // a setter returns this
  static String nested() {
    cudaMemcpy3DParms parameters = new cudaMemcpy3DParms();
    parameters.extent().width(4);
    boolean same = parameters.kind(1) == parameters;
    boolean owns = parameters.extent().toString().contains("deallocator=org");
    cudaPitchedPtr pitched = make_cudaPitchedPtr(new Pointer(), 7, 8, 9);
    parameters.srcPtr(pitched);
    pitched.pitch(8);
    return say(parameters.extent().width(), same, owns, parameters.srcPtr().pitch());
  }

  private static CUhostFn function() {
    return new CUhostFn() {
      @Override
      public void call(Pointer data) {
        // It is never called.
      }
    };
  }

  static String functions() {
    List<CUhostFn> alive = new ArrayList<>();
    for (int i = 0; i < 13; i++) {
      alive.add(function());
    }
    boolean set = alive.stream().noneMatch(each -> each.isNull());
    CUhostFn more = function();
    set &= !more.isNull();
    more.close();
    return say(set, !function().isNull());
  }

  static String rows() {
    cudaFree(null);
    FloatPointer source = new FloatPointer(8);
    for (int i = 0; i < 8; i++) {
      source.put(i, i);
    }
    long[] d = new long[1];
    cuMemAlloc(d, 8);
    CUDA_MEMCPY2D_v2 copy = new CUDA_MEMCPY2D_v2();
    copy.srcMemoryType(CU_MEMORYTYPE_HOST).srcHost(source.position(1)).srcPitch(4);
    copy.dstMemoryType(CU_MEMORYTYPE_DEVICE).dstDevice(d[0]).dstPitch(4);
    copy.WidthInBytes(4).Height(2);
    int status = cuMemcpy2D(copy);
    FloatPointer read = new FloatPointer(2);
    cuMemcpyDtoH(read, d[0], 8);
    return say(status, read.get(0), read.get(1));
  }

  static String properties() {
    cudaDeviceProp properties = new cudaDeviceProp();
    int status = cudaGetDeviceProperties(properties, 0);
    BytePointer name = properties.name();
    return say(
        status,
        name.getString(),
        name.getClass().getSimpleName() + " " + limits(name),
        properties.totalGlobalMem());
  }
}
