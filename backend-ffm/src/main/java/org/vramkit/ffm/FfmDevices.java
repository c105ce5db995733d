package org.vramkit.ffm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.DeviceCalls;

/** Device calls. A {@code CUdevice} equals the ordinal. */
final class FfmDevices implements DeviceCalls {
  private static final int MAX_NAME_BYTES = 256;

  /** {@code CUresult cuGetErrorName(CUresult error, const char** pStr)}. */
  private final Call.IL getErrorName;

  /** {@code CUresult cuInit(unsigned int Flags)}. */
  private final Call.I init;

  /** {@code CUresult cuDriverGetVersion(int* driverVersion)}. */
  private final Call.L driverGetVersion;

  /** {@code CUresult cuDeviceGetCount(int* count)}. */
  private final Call.L deviceGetCount;

  /** {@code CUresult cuDeviceGetName(char* name, int len, CUdevice dev)}. */
  private final Call.LII deviceGetName;

  /** {@code CUresult cuDeviceTotalMem(size_t* bytes, CUdevice dev)}. */
  private final Call.LI deviceTotalMem;

  /** {@code CUresult cuDeviceGetAttribute(int* pi, CUdevice_attribute attrib, CUdevice dev)}. */
  private final Call.LII deviceGetAttribute;

  /** {@code CUresult cuDeviceCanAccessPeer(int* can, CUdevice dev, CUdevice peerDev)}. */
  private final Call.LII deviceCanAccessPeer;

  FfmDevices(DriverFunctions functions) {
    getErrorName = new Call.IL(functions.find("cuGetErrorName", 6000));
    init = new Call.I(functions.find("cuInit", 2000));
    driverGetVersion = new Call.L(functions.find("cuDriverGetVersion", 2020));
    deviceGetCount = new Call.L(functions.find("cuDeviceGetCount", 2000));
    deviceGetName = new Call.LII(functions.find("cuDeviceGetName", 2000));
    deviceTotalMem = new Call.LI(functions.find("cuDeviceTotalMem", 3020, "cuDeviceTotalMem_v2"));
    deviceGetAttribute = new Call.LII(functions.find("cuDeviceGetAttribute", 2000));
    deviceCanAccessPeer = new Call.LII(functions.find("cuDeviceCanAccessPeer", 4000));
  }

  @Override
  public String nameOf(int result) {
    long cell = Cells.take();
    try {
      return getErrorName.call(result, cell) == CudaResult.SUCCESS
          ? MemorySegment.ofAddress(Cells.getLong(cell)).reinterpret(MAX_NAME_BYTES).getString(0)
          : "unknown result";
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuInit() {
    return init.call(0);
  }

  @Override
  public int cuDriverGetVersion(int[] version) {
    long cell = Cells.take();
    try {
      int result = driverGetVersion.call(cell);
      version[0] = Cells.getInt(cell);
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuDeviceGetCount(int[] count) {
    long cell = Cells.take();
    try {
      int result = deviceGetCount.call(cell);
      count[0] = Cells.getInt(cell);
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuDeviceGetName(byte[] name, int ordinal) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(name.length);
      int result = deviceGetName.call(text.address(), name.length, ordinal);
      MemorySegment.copy(text, JAVA_BYTE, 0, name, 0, name.length);
      return result;
    }
  }

  @Override
  public int cuDeviceTotalMem(long[] bytes, int ordinal) {
    long cell = Cells.take();
    try {
      int result = deviceTotalMem.call(cell, ordinal);
      bytes[0] = Cells.getLong(cell);
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuDeviceGetAttribute(int[] value, int attribute, int ordinal) {
    long cell = Cells.take();
    try {
      int result = deviceGetAttribute.call(cell, attribute, ordinal);
      value[0] = Cells.getInt(cell);
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuDeviceCanAccessPeer(int[] can, int ordinal, int peer) {
    long cell = Cells.take();
    try {
      int result = deviceCanAccessPeer.call(cell, ordinal, peer);
      can[0] = Cells.getInt(cell);
      return result;
    } finally {
      Cells.give(cell);
    }
  }
}
