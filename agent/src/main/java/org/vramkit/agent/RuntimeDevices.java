package org.vramkit.agent;

import java.util.List;
import org.vramkit.agent.Arguments.Binding;
import org.vramkit.agent.Arguments.Call;
import org.vramkit.agent.Arguments.Result;
import org.vramkit.agent.Arguments.Struct;
import org.vramkit.agent.CudaError.Names;
import org.vramkit.sim.SimDevice;

/** The runtime: devices, their properties, the last error. */
final class RuntimeDevices {
  /** The version of the runtime that JCuda 12 contains, and of that beside driver 580. */
  private static final int VERSION_IN_JCUDA = 12_000;

  private static final int VERSION = 13_000;

  private static final int FLAGS_ARE_VALID = 1;

  private static final String UNRECOGNIZED = "unrecognized error code";

  private RuntimeDevices() {}

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

  static void cudaRuntimeGetVersion(Call call, Result version) {
    version.set(call.binding() == Binding.JCUDA ? VERSION_IN_JCUDA : VERSION);
  }

  static void cudaSetDevice(int device) {
    CudaContext primary = CudaProcess.get().primary(device);
    primary.activate();
    CudaThread.current().setContext(primary);
  }

  /** Chooses a device; the properties are wishes, which the first one meets as well as others. */
  static void cudaChooseDevice(Result device, Struct properties) {
    device.set(0);
  }

  static void cudaGetDevice(Result device) {
    CudaThread thread = CudaThread.current();
    CudaContext current = thread.contexts.peek();
    device.set(current == null ? thread.device : current.device.getOrdinal());
  }

  /** Activates a device; the runtime looks at its flags only with the one that asks it to. */
  static void cudaInitDevice(int device, int deviceFlags, int flags) {
    CudaContext primary = CudaProcess.get().primary(device);
    if ((flags & FLAGS_ARE_VALID) != 0) {
      primary.setFlags(deviceFlags & ~CudaContext.MAP_HOST);
    }
    primary.activate();
  }

  /** Sets the flags of the device, unless the program has made a context of its own current. */
  static void cudaSetDeviceFlags(int flags) {
    CudaContext current = CudaThread.current().contexts.peek();
    CudaError.require(current == null || current.primary, CudaError.INCOMPATIBLE_CONTEXT);
    primary().setFlags(flags & ~CudaContext.MAP_HOST);
  }

  static void cudaGetDeviceFlags(Result flags) {
    CudaContext current = CudaThread.current().contexts.peek();
    flags.set((current == null ? primary() : current).getShownFlags());
  }

  static void cudaDeviceReset() {
    primary().reset();
  }

  static void cudaDeviceEnablePeerAccess(int peer, int flags) {
    CudaContext other = CudaProcess.get().primary(peer);
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    CudaThread.current().context().setPeer(other, true);
  }

  static void cudaDeviceDisablePeerAccess(int peer) {
    CudaThread.current().context().setPeer(CudaProcess.get().primary(peer), false);
  }

  static void cudaGetDeviceProperties(Struct properties, int device) {
    SimDevice of = DriverDevices.device(device);
    properties.set("name", DeviceFigures.name(of));
    properties.set("totalGlobalMem", of.getProperties().totalMemoryBytes());
    for (String line : CudaError.lines("properties.txt")) {
      List<String> parts = List.of(line.split(" ", -1));
      int[] numbers = parts.stream().skip(1).mapToInt(Integer::parseInt).toArray();
      if (properties.has(parts.get(0))) {
        properties.set(parts.get(0), DeviceFigures.attributes(of, numbers));
      }
    }
  }
}
