package org.vramkit.agent;

import static org.vramkit.agent.JCudaPointers.requireNonNull;

import java.lang.reflect.Field;
import java.util.List;
import jcuda.runtime.cudaDeviceProp;
import org.jspecify.annotations.Nullable;
import org.vramkit.agent.CudaError.Names;
import org.vramkit.sim.SimDevice;

/** JCuda's runtime: devices, their properties, the last error. */
final class JCudaRuntimeDevices {
  /** The version of the runtime that JCuda 12 contains. */
  private static final int VERSION = 12_000;

  private static final int DRIVER_VERSION = 13_000;

  /** Flags of devices: how the host waits, mapped memory, local memory. */
  private static final int KNOWN_FLAGS = 0x1f;

  private static final int MAP_HOST = 8;
  private static final String UNRECOGNIZED = "unrecognized error code";

  private JCudaRuntimeDevices() {}

  static void setLogLevel(int level) {
    JCudaDevices.setLogLevel(level);
  }

  private static SimDevice device(int ordinal) {
    return CudaProcess.get().primary(ordinal).device;
  }

  /** Returns the context of the device that the runtime uses, which may be inactive. */
  private static CudaContext primary() {
    return CudaProcess.get().primary(CudaThread.current().device);
  }

  static int cudaGetLastError() {
    CudaThread thread = CudaThread.current();
    int last = thread.lastError;
    thread.lastError = 0;
    return last;
  }

  static int cudaPeekAtLastError() {
    return CudaThread.current().lastError;
  }

  static String cudaGetErrorName(int error) {
    Names known = CudaError.namesOf(error);
    return known == null || known.runtime() == null ? UNRECOGNIZED : known.runtime();
  }

  static String cudaGetErrorString(int error) {
    Names known = CudaError.namesOf(error);
    return known == null || known.runtime() == null ? UNRECOGNIZED : known.text();
  }

  static int cudaRuntimeGetVersion(int[] version) {
    requireNonNull(version, "runtimeVersion", "cudaRuntimeGetVersion");
    version[0] = VERSION;
    return 0;
  }

  static int cudaDriverGetVersion(int[] version) {
    requireNonNull(version, "driverVersion", "cudaDriverGetVersion");
    version[0] = DRIVER_VERSION;
    return 0;
  }

  static int cudaGetDeviceCount(int[] count) {
    requireNonNull(count, "count", "cudaGetDeviceCount");
    count[0] = CudaProcess.get().getDeviceCount();
    return 0;
  }

  static int cudaSetDevice(int device) {
    CudaContext primary = CudaProcess.get().primary(device);
    primary.activate();
    CudaThread.current().setContext(primary);
    return 0;
  }

  static int cudaGetDevice(int[] device) {
    requireNonNull(device, "device", "cudaGetDevice");
    CudaThread thread = CudaThread.current();
    CudaContext current = thread.contexts.peek();
    device[0] = current == null ? thread.device : current.device.getOrdinal();
    return 0;
  }

  static int cudaInitDevice(int device, int deviceFlags, int flags) {
    CudaError.require((deviceFlags & ~KNOWN_FLAGS) == 0 && flags == 0, CudaError.INVALID_VALUE);
    CudaProcess.get().primary(device).activate();
    return 0;
  }

  static int cudaSetDeviceFlags(int flags) {
    CudaError.require((flags & ~KNOWN_FLAGS) == 0, CudaError.INVALID_VALUE);
    primary().flags = flags & ~MAP_HOST;
    return 0;
  }

  static int cudaGetDeviceFlags(int[] flags) {
    requireNonNull(flags, "flags", "cudaGetDeviceFlags");
    flags[0] = primary().flags | MAP_HOST;
    return 0;
  }

  static int cudaDeviceGetAttribute(int[] value, int attribute, int device) {
    requireNonNull(value, "value", "cudaDeviceGetAttribute");
    value[0] = DeviceFigures.attribute(device(device), attribute);
    return 0;
  }

  static int cudaDeviceGetPCIBusId(String[] id, int length, int device) {
    requireNonNull(id, "pciBusId", "cudaDeviceGetPCIBusId");
    String known = DeviceFigures.busId(device(device));
    CudaError.require(length > known.length(), CudaError.INVALID_VALUE);
    id[0] = known;
    return 0;
  }

  static int cudaDeviceGetByPCIBusId(int[] device, String id) {
    requireNonNull(device, "device", "cudaDeviceGetByPCIBusId");
    requireNonNull(id, "pciBusId", "cudaDeviceGetByPCIBusId");
    device[0] = DeviceFigures.ordinalOf(id);
    return 0;
  }

  static int cudaDeviceSynchronize() {
    CudaThread.current().context().device.synchronize();
    return 0;
  }

  static int cudaThreadSynchronize() {
    return cudaDeviceSynchronize();
  }

  static int cudaDeviceReset() {
    primary().reset();
    return 0;
  }

  static int cudaThreadExit() {
    return cudaDeviceReset();
  }

  static int cudaDeviceGetLimit(long[] value, int limit) {
    requireNonNull(value, "pValue", "cudaDeviceGetLimit");
    value[0] = CudaThread.current().context().getLimit(limit);
    return 0;
  }

  static int cudaDeviceSetLimit(int limit, long value) {
    CudaThread.current().context().setLimit(limit, value);
    return 0;
  }

  static int cudaDeviceGetCacheConfig(int[] config) {
    return JCudaContexts.cuCtxGetCacheConfig(config);
  }

  static int cudaDeviceSetCacheConfig(int config) {
    return JCudaContexts.cuCtxSetCacheConfig(config);
  }

  static int cudaDeviceGetSharedMemConfig(int[] config) {
    return JCudaContexts.cuCtxGetSharedMemConfig(config);
  }

  static int cudaDeviceSetSharedMemConfig(int config) {
    return JCudaContexts.cuCtxSetSharedMemConfig(config);
  }

  static int cudaDeviceGetStreamPriorityRange(int @Nullable [] least, int @Nullable [] greatest) {
    return JCudaContexts.cuCtxGetStreamPriorityRange(least, greatest);
  }

  static int cudaDeviceCanAccessPeer(int[] possible, int device, int peer) {
    requireNonNull(possible, "canAccessPeer", "cudaDeviceCanAccessPeer");
    SimDevice one = device(device);
    SimDevice other = device(peer);
    possible[0] = one != other && one.getPeerAccess().canAccess(other) ? 1 : 0;
    return 0;
  }

  static int cudaDeviceEnablePeerAccess(int peer, int flags) {
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    CudaThread.current().context().setPeer(CudaProcess.get().primary(peer), true);
    return 0;
  }

  static int cudaDeviceDisablePeerAccess(int peer) {
    CudaThread.current().context().setPeer(CudaProcess.get().primary(peer), false);
    return 0;
  }

  static int cudaGetDeviceProperties(cudaDeviceProp properties, int device) {
    requireNonNull(properties, "prop", "cudaGetDeviceProperties");
    SimDevice of = device(device);
    properties.setName(DeviceFigures.name(of));
    properties.totalGlobalMem = of.getProperties().totalMemoryBytes();
    for (String line : CudaError.lines("properties.txt")) {
      List<String> parts = List.of(line.split(" ", -1));
      int[] numbers = parts.stream().skip(1).mapToInt(Integer::parseInt).toArray();
      set(properties, parts.get(0), DeviceFigures.attributes(of, numbers));
    }
    return 0;
  }

  private static void set(cudaDeviceProp properties, String name, int[] values) {
    try {
      Field field = cudaDeviceProp.class.getField(name);
      if (field.getType() == int[].class) {
        field.set(properties, values);
      } else if (field.getType() == long.class) {
        field.setLong(properties, values[0]);
      } else {
        field.setInt(properties, values[0]);
      }
    } catch (ReflectiveOperationException e) {
      throw new UnsupportedOperationException("this version of JCuda has no property " + name, e);
    }
  }
}
