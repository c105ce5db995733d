package org.vramkit.agent;

import org.jspecify.annotations.Nullable;
import org.vramkit.agent.Arguments.Result;
import org.vramkit.agent.Arguments.Room;
import org.vramkit.agent.Arguments.Struct;
import org.vramkit.agent.CudaError.Names;
import org.vramkit.sim.SimDevice;

/** The driver: initialization, devices, errors, access to peers. */
final class DriverDevices {
  /** The version of the driver, that for CUDA 13.0. */
  static final int VERSION = 13_000;

  private DriverDevices() {}

  static SimDevice device(int device) {
    return CudaProcess.get().primary(device).device;
  }

  static void cuInit(int flags) {
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    CudaProcess.get().initialized = true;
  }

  static void cuDriverGetVersion(Result version) {
    version.set(VERSION);
  }

  static void cuGetErrorName(int error, Result name) {
    Names known = CudaError.namesOf(error);
    set(name, known == null ? null : known.driver());
  }

  static void cuGetErrorString(int error, Result text) {
    Names known = CudaError.namesOf(error);
    set(text, known == null || known.driver() == null ? null : known.text());
  }

  private static void set(Result result, @Nullable String text) {
    result.set(text);
    CudaError.require(text != null, CudaError.INVALID_VALUE);
  }

  static void cuDeviceGet(Result device, int ordinal) {
    CudaProcess.get().primary(ordinal);
    device.set(ordinal);
  }

  static void cuDeviceGetCount(Result count) {
    count.set(CudaProcess.get().getDeviceCount());
  }

  static void cuDeviceGetName(Room name, int length, int device) {
    String known = DeviceFigures.name(device(device));
    CudaError.require(length != 0, CudaError.INVALID_VALUE);
    // The driver takes the length as unsigned.
    name.set(known, length > 0 ? length : known.length() + 1);
  }

  static void cuDeviceComputeCapability(Result major, Result minor, int device) {
    major.set(device(device).getProperties().computeMajor());
    minor.set(device(device).getProperties().computeMinor());
  }

  static void cuDeviceTotalMem(Result bytes, int device) {
    bytes.set(device(device).getProperties().totalMemoryBytes());
  }

  static void cuDeviceGetProperties(Struct properties, int device) {
    SimDevice of = device(device);
    properties.set("maxThreadsPerBlock", DeviceFigures.attribute(of, 1));
    properties.set("maxThreadsDim", DeviceFigures.attributes(of, 2, 3, 4));
    properties.set("maxGridSize", DeviceFigures.attributes(of, 5, 6, 7));
    properties.set("sharedMemPerBlock", DeviceFigures.attribute(of, 8));
    properties.set("totalConstantMemory", DeviceFigures.attribute(of, 9));
    properties.set("SIMDWidth", DeviceFigures.attribute(of, 10));
    properties.set("memPitch", DeviceFigures.attribute(of, 11));
    properties.set("regsPerBlock", DeviceFigures.attribute(of, 12));
    properties.set("clockRate", DeviceFigures.attribute(of, 13));
    properties.set("textureAlign", DeviceFigures.attribute(of, 14));
  }

  static void cuDeviceGetAttribute(Result value, int attribute, int device) {
    value.set(DeviceFigures.attribute(device(device), attribute));
  }

  static void cuDeviceGetPCIBusId(Room id, int length, int device) {
    String known = DeviceFigures.busId(device(device));
    if (length > 0) {
      id.set(known, Math.min(length, known.length() + 1));
    }
    CudaError.require(length > known.length(), CudaError.INVALID_VALUE);
  }

  static void cuDeviceGetByPCIBusId(Result device, String id) {
    device.set(DeviceFigures.ordinalOf(id));
  }

  static void cuDeviceCanAccessPeer(Result possible, int device, int peer) {
    SimDevice one = device(device);
    SimDevice other = device(peer);
    possible.set(one != other && one.getPeerAccess().canAccess(other) ? 1 : 0);
  }

  static void cuCtxEnablePeerAccess(long peer, int flags) {
    CudaContext other = DriverContexts.context(peer);
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    CudaThread.current().context().setPeer(other, true);
  }

  static void cuCtxDisablePeerAccess(long peer) {
    CudaThread.current().context().setPeer(DriverContexts.context(peer), false);
  }
}
