package org.vramkit.agent;

import static java.util.Objects.requireNonNull;
import static org.bytedeco.cuda.global.cudart.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;
import org.bytedeco.cuda.cudart.CUDA_MEMCPY2D_v2;
import org.bytedeco.cuda.cudart.CUctx_st;
import org.bytedeco.cuda.cudart.cudaDeviceProp;
import org.bytedeco.cuda.cudart.cudaExtent;
import org.bytedeco.cuda.cudart.cudaMemcpy3DParms;
import org.bytedeco.cuda.cudart.cudaPitchedPtr;
import org.bytedeco.cuda.cudart.dim3;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.agent.Arguments.Struct;

@SimulatedCuda
@DisplayName("JavaCPP's structs")
class JavaCppStructsTest {
  @Test
  @DisplayName("have sizes, arrays, nested structs and pointers as in native code")
  void structs() {
    assertEquals(1008, new cudaDeviceProp().sizeof());
    assertEquals(8, new CUctx_st().sizeof());
    CUDA_MEMCPY2D_v2 array = new CUDA_MEMCPY2D_v2(3);
    assertEquals(3, array.capacity());
    assertEquals(128, array.getPointer(1).address() - array.address());
    array.position(1).Height(7);
    assertEquals(7, array.getPointer(0).Height());
    dim3 extent = new dim3(5, 6, 7);
    assertEquals("5 6 7", extent.x() + " " + extent.y() + " " + extent.z());
    assertEquals(1, new dim3().y());
    cudaMemcpy3DParms parameters = new cudaMemcpy3DParms();
    assertEquals(0, parameters.kind());
    assertSame(parameters, parameters.kind(3));
    parameters.extent().width(4);
    assertEquals(4, parameters.extent().width());
    cudaPitchedPtr pitched = make_cudaPitchedPtr(new Pointer(), 7, 8, 9);
    parameters.srcPtr(pitched);
    pitched.pitch(8);
    assertEquals(7, parameters.srcPtr().pitch());
    assertNull(parameters.srcPtr().ptr());
    CUDA_MEMCPY2D_v2 copy = new CUDA_MEMCPY2D_v2();
    FloatPointer values = new FloatPointer(0, 1, 2, 3);
    copy.srcHost(values.position(1));
    assertEquals(values.address() + 1, copy.srcHost().address());
    assertThrows(NullPointerException.class, () -> new cudaExtent((Pointer) null).width());
    cudaDeviceProp properties = new cudaDeviceProp();
    assertEquals(0, cudaGetDeviceProperties(properties, 0));
    assertEquals("NVIDIA H200", properties.name().getString());
    assertEquals(0, properties.name().limit());
    assertEquals(64, properties.maxThreadsDim(2));
    assertEquals(65_535, properties.maxGridSize().get(1));
    assertEquals(1, properties.concurrentManagedAccess());
  }

  private static boolean exists(String type) {
    return cudaExtent.class.getResource("/" + type.replace('.', '/') + ".class") != null;
  }

  @Test
  @DisplayName("have an accessor for each native method, except those of arithmetic")
  void accessors() throws ReflectiveOperationException {
    List<String> missing = new ArrayList<>();
    TypePool pool = TypePool.Default.ofSystemLoader();
    for (String struct : JavaCppStructs.layouts().keySet()) {
      String name = cudaExtent.class.getPackageName() + "." + struct;
      if (LayoutTest.CHANGED.contains(struct) && !exists(name)) {
        continue;
      }
      Class<?> type = Class.forName(name);
      for (MethodDescription each :
          pool.describe(type.getName())
              .resolve()
              .getDeclaredMethods()
              .filter(ElementMatchers.isNative())) {
        MethodType own =
            MethodType.fromMethodDescriptorString(each.getDescriptor(), type.getClassLoader());
        MethodType called = own.insertParameterTypes(0, type);
        if (JavaCppStructs.find(type, each.getName(), called) == null) {
          missing.add(struct + "." + each.getName());
        }
      }
    }
    missing.removeIf(each -> each.startsWith("__half") || each.startsWith("__nv_bfloat16"));
    assertEquals(List.of("dim3.asUint3"), missing);
  }

  @Test
  @DisplayName("of presets before 13 get the properties that they have")
  void earlier() {
    Earlier.cudaDeviceProp properties = new Earlier.cudaDeviceProp();
    long last = properties.limit() - Integer.BYTES;
    properties.putInt(last, -1);
    Struct struct = JavaCppStructs.view(properties, 0);
    assertFalse(struct.has("deviceNumaConfig"));
    RuntimeDevices.cudaGetDeviceProperties(struct, 0);
    assertEquals("NVIDIA H200", properties.limit(0).getString());
    assertEquals(9, struct.get("major"));
    assertEquals(-1, properties.getInt(last));
  }

  /** Has the name of its struct, by which the table of layouts knows it. */
  static final class Earlier {
    /** The properties of a device with three of the fields that CUDA 12 has, and none of 13. */
    @SuppressWarnings("unused") // found by their names
    static final class cudaDeviceProp extends BytePointer {
      cudaDeviceProp() {
        super(requireNonNull(JavaCppStructs.layouts().get("cudaDeviceProp")).size());
      }

      public BytePointer name() {
        return this;
      }

      public long totalGlobalMem() {
        return 0;
      }

      public int major() {
        return 0;
      }
    }
  }
}
