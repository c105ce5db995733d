package org.vramkit.agent;

import static org.vramkit.agent.JCudaPointers.handleOf;
import static org.vramkit.agent.JCudaPointers.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevprop;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.CudaError.Names;
import org.vramkit.sim.SimDevice;

/** JCuda's driver: initialization, devices, errors, access to peers. */
final class JCudaDevices {
  /** The version of the driver, that for CUDA 13.0. */
  private static final int VERSION = 13_000;

  /** The number of {@code LogLevel.LOG_TRACE}. */
  private static final int LOG_TRACE = 5;

  private JCudaDevices() {}

  static SimDevice device(CUdevice device) {
    return CudaProcess.get().primary(handleOf(device)).device;
  }

  static void setLogLevel(int level) {
    NativeCalls.trace(level >= LOG_TRACE);
  }

  static int cuInit(int flags) {
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    CudaProcess.get().initialized = true;
    return 0;
  }

  static int cuDriverGetVersion(int[] version) {
    requireNonNull(version, "driverVersion", "cuDriverGetVersion");
    version[0] = VERSION;
    return 0;
  }

  static int cuGetErrorName(int error, String[] name) {
    requireNonNull(name, "pStr", "cuGetErrorName");
    Names known = CudaError.namesOf(error);
    name[0] = known == null ? null : known.driver();
    return name[0] == null ? CudaError.INVALID_VALUE : 0;
  }

  static int cuGetErrorString(int error, String[] text) {
    requireNonNull(text, "pStr", "cuGetErrorString");
    Names known = CudaError.namesOf(error);
    text[0] = known == null || known.driver() == null ? null : known.text();
    return text[0] == null ? CudaError.INVALID_VALUE : 0;
  }

  static int cuDeviceGet(CUdevice device, int ordinal) {
    requireNonNull(device, "device", "cuDeviceGet");
    CudaProcess.get().primary(ordinal);
    JCudaPointers.set(device, ordinal);
    return 0;
  }

  static int cuDeviceGetCount(int[] count) {
    requireNonNull(count, "count", "cuDeviceGetCount");
    count[0] = CudaProcess.get().getDeviceCount();
    return 0;
  }

  static int cuDeviceGetName(byte[] name, int length, CUdevice device) {
    requireNonNull(name, "name", "cuDeviceGetName");
    requireNonNull(device, "dev", "cuDeviceGetName");
    CudaError.require(length > 0, CudaError.INVALID_VALUE);
    byte[] known = DeviceFigures.name(device(device)).getBytes(StandardCharsets.US_ASCII);
    int given = Math.min(length, name.length);
    System.arraycopy(Arrays.copyOf(known, given), 0, name, 0, given);
    name[given - 1] = 0;
    return 0;
  }

  static int cuDeviceComputeCapability(int[] major, int[] minor, CUdevice device) {
    requireNonNull(major, "major", "cuDeviceComputeCapability");
    requireNonNull(minor, "minor", "cuDeviceComputeCapability");
    requireNonNull(device, "dev", "cuDeviceComputeCapability");
    major[0] = device(device).getProperties().computeMajor();
    minor[0] = device(device).getProperties().computeMinor();
    return 0;
  }

  static int cuDeviceTotalMem(long[] bytes, CUdevice device) {
    requireNonNull(bytes, "bytes", "cuDeviceTotalMem");
    requireNonNull(device, "dev", "cuDeviceTotalMem");
    bytes[0] = device(device).getProperties().totalMemoryBytes();
    return 0;
  }

  static int cuDeviceGetProperties(CUdevprop properties, CUdevice device) {
    requireNonNull(properties, "prop", "cuDeviceGetProperties");
    requireNonNull(device, "dev", "cuDeviceGetProperties");
    SimDevice of = device(device);
    properties.maxThreadsPerBlock = DeviceFigures.attribute(of, 1);
    properties.maxThreadsDim = DeviceFigures.attributes(of, 2, 3, 4);
    properties.maxGridSize = DeviceFigures.attributes(of, 5, 6, 7);
    properties.sharedMemPerBlock = DeviceFigures.attribute(of, 8);
    properties.totalConstantMemory = DeviceFigures.attribute(of, 9);
    properties.SIMDWidth = DeviceFigures.attribute(of, 10);
    properties.memPitch = DeviceFigures.attribute(of, 11);
    properties.regsPerBlock = DeviceFigures.attribute(of, 12);
    properties.clockRate = DeviceFigures.attribute(of, 13);
    properties.textureAlign = DeviceFigures.attribute(of, 14);
    return 0;
  }

  static int cuDeviceGetAttribute(int[] value, int attribute, CUdevice device) {
    requireNonNull(value, "pi", "cuDeviceGetAttribute");
    requireNonNull(device, "dev", "cuDeviceGetAttribute");
    value[0] = DeviceFigures.attribute(device(device), attribute);
    return 0;
  }

  static int cuDeviceGetPCIBusId(String[] id, int length, CUdevice device) {
    requireNonNull(id, "pciBusId", "cuDeviceGetPCIBusId");
    requireNonNull(device, "dev", "cuDeviceGetPCIBusId");
    String known = DeviceFigures.busId(device(device));
    CudaError.require(length > known.length(), CudaError.INVALID_VALUE);
    id[0] = known;
    return 0;
  }

  static int cuDeviceGetByPCIBusId(CUdevice device, String id) {
    requireNonNull(device, "dev", "cuDeviceGetByPCIBusId");
    requireNonNull(id, "pciBusId", "cuDeviceGetByPCIBusId");
    JCudaPointers.set(device, DeviceFigures.ordinalOf(id));
    return 0;
  }

  static int cuDeviceCanAccessPeer(int[] possible, CUdevice device, CUdevice peer) {
    requireNonNull(possible, "canAccessPeer", "cuDeviceCanAccessPeer");
    requireNonNull(device, "dev", "cuDeviceCanAccessPeer");
    requireNonNull(peer, "peerDev", "cuDeviceCanAccessPeer");
    SimDevice one = device(device);
    SimDevice other = device(peer);
    possible[0] = one != other && one.getPeerAccess().canAccess(other) ? 1 : 0;
    return 0;
  }

  static int cuCtxEnablePeerAccess(CUcontext peer, int flags) {
    requireNonNull(peer, "peerContext", "cuCtxEnablePeerAccess");
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    CudaThread.current().context().setPeer(context(peer), true);
    return 0;
  }

  static int cuCtxDisablePeerAccess(CUcontext peer) {
    requireNonNull(peer, "peerContext", "cuCtxDisablePeerAccess");
    CudaThread.current().context().setPeer(context(peer), false);
    return 0;
  }

  /** Returns the context of a handle. */
  static CudaContext context(@Nullable CUcontext context) {
    return CudaProcess.get().get(handleOf(context), CudaContext.class, CudaError.INVALID_CONTEXT);
  }
}
