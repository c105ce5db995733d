package org.vramkit.agent;

import static jcuda.driver.JCudaDriver.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A JCuda program with a context and some memory. */
abstract class DriverProgram {
  static final int BYTES = 64;

  final CUdeviceptr d = new CUdeviceptr();

  @BeforeEach
  void initialize() {
    setExceptionsEnabled(false);
    assertEquals(0, cuInit(0));
    assertEquals(0, cuCtxCreate(new CUcontext(), 0, device()));
    assertEquals(0, cuMemAlloc(d, BYTES));
    assertEquals(0, cuMemsetD8(d, (byte) 0, BYTES));
  }

  @AfterEach
  void noExceptions() {
    setExceptionsEnabled(false);
  }

  static CUdevice device() {
    CUdevice device = new CUdevice();
    assertEquals(0, cuDeviceGet(device, 0));
    return device;
  }

  static CUmodule module() {
    CUmodule module = new CUmodule();
    assertEquals(0, cuModuleLoad(module, VectorAddTest.ptx()));
    return module;
  }

  static CUfunction function(String name) {
    CUfunction function = new CUfunction();
    assertEquals(0, cuModuleGetFunction(function, module(), name));
    return function;
  }

  int[] slots() {
    int[] read = new int[4];
    assertEquals(0, cuMemcpyDtoH(Pointer.to(read), d, 16));
    return read;
  }

  /** Launches a kernel that stores a number at an address. */
  int store(Pointer... parameters) {
    return cuLaunchKernel(
        function("store"), 1, 1, 1, 1, 1, 1, 0, null, Pointer.to(parameters), null);
  }

  static void assertNull(String parameter, String function, Runnable call) {
    NullPointerException thrown = assertThrows(NullPointerException.class, call::run);
    assertEquals("Parameter '" + parameter + "' is null for " + function, thrown.getMessage());
  }
}
