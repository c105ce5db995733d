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
  private static final int NO_ACCESS = 0;
  private static final int READ_WRITE = 3;

  /** Physical memory of a device, by its handle in the simulator. */
  private record Physical(SimDevice device, long handle) {}

  private DriverVirtualMemory() {}

  /** Changes the access of devices as the structs of a list say; of none if one is wrong. */
  static void changeAccess(Structs access, long count, BiConsumer<SimDevice, Boolean> change) {
    CudaError.require(count > 0, CudaError.INVALID_VALUE);
    Map<SimDevice, Boolean> changes = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      Struct each = CudaError.found(access.get(i), CudaError.INVALID_VALUE);
      long flags = each.get("flags");
      if (flags != READ_WRITE && flags != NO_ACCESS) {
        throw new UnsupportedOperationException("access without writing is not simulated");
      }
      changes.put(deviceOf(each.nested("location")), flags == READ_WRITE);
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
    CudaError.require(flags == 0, CudaError.INVALID_VALUE);
    SimDevice device = current();
    if (alignment > device.getVirtualMemory().getGranularity()) {
      throw new UnsupportedOperationException("alignments above the granularity are not simulated");
    }
    long reserved = device.getVirtualMemory().reserve(bytes);
    CudaProcess.get().memory.addReservation(CudaThread.current().context(), reserved, bytes);
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
    CudaError.require(offset == 0 && flags == 0, CudaError.INVALID_VALUE);
    Physical found = physical(handle);
    found.device.getVirtualMemory().map(address, bytes, found.handle);
  }

  static void cuMemSetAccess(long address, long bytes, Structs access, long count) {
    VirtualMemory memory = CudaProcess.get().memory.deviceOfReservation(address).getVirtualMemory();
    changeAccess(
        access,
        count,
        (device, allowed) -> {
          if (allowed) {
            memory.setAccess(address, bytes, device);
          } else {
            memory.removeAccess(address, bytes, device);
          }
        });
  }

  static void cuMemUnmap(long address, long bytes) {
    CudaProcess.get().memory.deviceOfReservation(address).getVirtualMemory().unmap(address, bytes);
  }
}
