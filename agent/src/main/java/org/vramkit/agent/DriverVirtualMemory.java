package org.vramkit.agent;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.vramkit.agent.Arguments.Result;
import org.vramkit.agent.Arguments.Struct;
import org.vramkit.agent.Arguments.Structs;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.sim.SimDevice;

/** The driver: virtual memory of devices. */
final class DriverVirtualMemory {
  private static final int PINNED = 1;
  private static final int ON_DEVICE = 1;
  private static final int ON_HOST = 2;
  private static final int NO_ACCESS = 0;
  private static final int READ_ONLY = 1;
  private static final int READ_WRITE = 3;

  /** Physical memory of a device, by its handle in the simulator. */
  private record Physical(SimDevice device, long handle) {}

  private DriverVirtualMemory() {}

  /**
   * Changes the access of devices as the structs of a list say; of none if one is wrong.
   *
   * @param elsewhere the status for another place than a device or the host
   * @param readOnly the status for access without writing; 0 if a driver has it
   * @param unknown the status for a number of no device
   */
  static void changeAccess(
      Structs access,
      long count,
      int elsewhere,
      int readOnly,
      int unknown,
      BiConsumer<SimDevice, Boolean> change) {
    CudaError.require(count >= 0, CudaError.INVALID_VALUE);
    Map<SimDevice, Boolean> changes = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      Struct each = CudaError.found(access.get(i), CudaError.INVALID_VALUE);
      long flags = each.get("flags");
      Struct location = each.nested("location");
      long id = location.get("id");
      boolean isKnown = flags == READ_WRITE || flags == READ_ONLY || flags == NO_ACCESS;
      CudaError.require(isKnown, CudaError.INVALID_VALUE);
      CudaError.require(location.get("type") != ON_HOST, CudaError.NOT_SUPPORTED);
      CudaError.require(location.get("type") == ON_DEVICE, elsewhere);
      CudaError.require(id >= 0 && id < CudaProcess.get().getDeviceCount(), unknown);
      CudaError.require(flags != READ_ONLY || readOnly == 0, readOnly);
      if (flags == READ_ONLY) {
        throw new UnsupportedOperationException("access without writing is not simulated");
      }
      changes.put(DriverDevices.device((int) id), flags == READ_WRITE);
    }
    changes.forEach(change);
  }

  private static SimDevice deviceOf(Struct location) {
    CudaError.require(location.get("type") == ON_DEVICE, CudaError.INVALID_VALUE);
    return DriverDevices.device((int) location.get("id"));
  }

  private static SimDevice current() {
    return CudaThread.current().context().device;
  }

  private static Physical physical(long handle) {
    return CudaProcess.get().get(handle, Physical.class, CudaError.INVALID_VALUE);
  }

  static void cuMemGetAllocationGranularity(Result bytes, Struct properties, int option) {
    CudaError.require(option == 0 || option == 1, CudaError.INVALID_VALUE);
    bytes.set(deviceOf(properties.nested("location")).getVirtualMemory().getGranularity());
  }

  static void cuMemAddressReserve(
      Result address, long bytes, long alignment, long wanted, long flags) {
    boolean isPowerOfTwo = (alignment & (alignment - 1)) == 0;
    CudaError.require(flags == 0 && isPowerOfTwo && wanted >= 0, CudaError.INVALID_VALUE);
    SimDevice device = current();
    if (alignment > device.getVirtualMemory().getGranularity()) {
      throw new UnsupportedOperationException("alignments above the granularity are not simulated");
    }
    long reserved = device.getVirtualMemory().reserve(bytes);
    CudaProcess.get().memory.addReservation(device, reserved, bytes);
    address.set(reserved);
  }

  static void cuMemAddressFree(long address, long bytes) {
    CudaMemory memory = CudaProcess.get().memory;
    memory.deviceOfReservation(address).getVirtualMemory().unreserve(address, bytes);
    memory.removeReservation(address);
  }

  static void cuMemCreate(Result handle, long bytes, Struct properties, long flags) {
    CudaError.require(flags == 0 && properties.get("type") == PINNED, CudaError.INVALID_VALUE);
    if (properties.get("requestedHandleTypes") != 0) {
      throw new UnsupportedOperationException("memory for other processes is not simulated");
    }
    SimDevice device = deviceOf(properties.nested("location"));
    CudaProcess process = CudaProcess.get();
    Physical made = new Physical(device, device.getVirtualMemory().create(bytes));
    long given = process.newHandle();
    process.add(given, made);
    handle.set(given);
  }

  static void cuMemRelease(long handle) {
    Physical found = physical(handle);
    found.device.getVirtualMemory().release(found.handle);
    CudaProcess.get().remove(handle);
  }

  static void cuMemMap(long address, long bytes, long offset, long handle, long flags) {
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    CudaError.require(offset == 0, CudaError.NOT_SUPPORTED);
    Physical found = physical(handle);
    found.device.getVirtualMemory().map(address, bytes, found.handle);
    CudaProcess process = CudaProcess.get();
    process.memory.addMapping(process.primary(found.device.getOrdinal()), address, bytes);
  }

  static void cuMemSetAccess(long address, long bytes, Structs access, long count) {
    CudaMemory known = CudaProcess.get().memory;
    SimDevice owner = known.deviceOfReservation(address);
    VirtualMemory memory = owner.getVirtualMemory();
    CudaError.require(count > 0, CudaError.INVALID_VALUE);
    changeAccess(
        access,
        count,
        CudaError.INVALID_VALUE,
        0,
        CudaError.INVALID_VALUE,
        (device, allowed) -> {
          if (allowed) {
            memory.setAccess(address, bytes, device);
          } else {
            memory.removeAccess(address, bytes, device);
          }
          if (device == owner) {
            known.setAccess(address, bytes, allowed);
          }
        });
  }

  static void cuMemUnmap(long address, long bytes) {
    CudaMemory memory = CudaProcess.get().memory;
    memory.deviceOfReservation(address).getVirtualMemory().unmap(address, bytes);
    memory.removeMappings(address, bytes);
  }
}
