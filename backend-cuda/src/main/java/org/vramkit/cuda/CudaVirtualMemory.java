package org.vramkit.cuda;

import java.util.List;
import java.util.function.IntSupplier;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.cuda.driver.VirtualMemoryCalls;

/**
 * Virtual memory. The driver checks little, so sizes and addresses are checked here: those that are
 * not multiples of the granularity never reach it.
 */
final class CudaVirtualMemory implements VirtualMemory {
  private final CudaDevice device;
  private final VirtualMemoryCalls calls;

  /** 0 until queried; concurrent first queries return the same value. */
  private volatile long granularity;

  CudaVirtualMemory(CudaDevice device) {
    this.device = device;
    this.calls = device.driver.virtualMemory();
  }

  @Override
  public long getGranularity() {
    long known = granularity;
    if (known == 0) {
      long[] bytes = new long[1];
      run(
          "cuMemGetAllocationGranularity",
          "cannot query the granularity",
          () -> calls.cuMemGetAllocationGranularity(bytes, device.getOrdinal()));
      known = bytes[0];
      granularity = known;
    }
    return known;
  }

  @Override
  public long reserve(long bytes) {
    requireSize(bytes);
    long[] address = new long[1];
    device.context.allocate(
        "cuMemAddressReserve", bytes, () -> calls.cuMemAddressReserve(address, bytes));
    device.context.open.add(OpenHandles.Kind.RESERVATION, address[0], bytes);
    return address[0];
  }

  @Override
  public void unreserve(long address, long bytes) {
    requireRange(address, bytes);
    device.context.open.release(
        OpenHandles.Kind.RESERVATION,
        address,
        () ->
            device.context.release(
                "cuMemAddressFree",
                () -> "cannot free the reservation of " + range(address, bytes),
                () -> calls.cuMemAddressFree(address, bytes)));
  }

  @Override
  public long create(long bytes) {
    requireSize(bytes);
    long[] handle = new long[1];
    device.context.allocate(
        "cuMemCreate", bytes, () -> calls.cuMemCreate(handle, bytes, device.getOrdinal()));
    device.context.open.add(OpenHandles.Kind.PHYSICAL_MEMORY, handle[0], bytes);
    return handle[0];
  }

  @Override
  public void release(long handle) {
    boolean isOpen =
        device.context.open.releaseOpen(
            OpenHandles.Kind.PHYSICAL_MEMORY,
            handle,
            () ->
                device.context.release(
                    "cuMemRelease",
                    () -> "cannot release physical memory 0x" + Long.toHexString(handle),
                    () -> calls.cuMemRelease(handle)));
    requireOpen(isOpen, handle);
  }

  @Override
  public void map(long address, long bytes, long handle) {
    requireRange(address, bytes);
    requireOpen(device.context.open.isOpen(OpenHandles.Kind.PHYSICAL_MEMORY, handle), handle);
    run(
        "cuMemMap",
        "cannot map " + range(address, bytes),
        () -> calls.cuMemMap(address, bytes, handle));
  }

  @Override
  public void setAccess(long address, long bytes, Device accessor) {
    changeAccess(address, bytes, List.of(accessor), true);
  }

  @Override
  public void setAccess(long address, long bytes, List<Device> accessors) {
    if (!accessors.isEmpty()) {
      changeAccess(address, bytes, accessors, true);
    }
  }

  @Override
  public void removeAccess(long address, long bytes, Device accessor) {
    changeAccess(address, bytes, List.of(accessor), false);
  }

  private void changeAccess(long address, long bytes, List<Device> accessors, boolean allowed) {
    requireRange(address, bytes);
    for (Device each : accessors) {
      if (each.getBackend() != device.getBackend()) {
        throw new InvalidArgumentException(each + " is a device of another backend");
      }
    }
    int[] ordinals = accessors.stream().mapToInt(Device::getOrdinal).toArray();
    run(
        "cuMemSetAccess",
        "cannot " + (allowed ? "let " : "forbid ") + accessors + " access " + range(address, bytes),
        () -> calls.cuMemSetAccess(address, bytes, ordinals, allowed));
  }

  @Override
  public void unmap(long address, long bytes) {
    requireRange(address, bytes);
    device.context.release(
        "cuMemUnmap",
        () -> "cannot unmap " + range(address, bytes),
        () -> calls.cuMemUnmap(address, bytes));
  }

  private void run(String call, String wanted, IntSupplier body) {
    device.context.run(call, () -> wanted + " on " + device, body);
  }

  private void requireSize(long bytes) {
    if (bytes <= 0 || bytes % getGranularity() != 0) {
      throw new InvalidArgumentException(
          bytes
              + " bytes are not a positive multiple of the granularity of"
              + " "
              + getGranularity()
              + " bytes");
    }
  }

  /** Refuses a handle that is not open, which the driver may not check. */
  private static void requireOpen(boolean isOpen, long handle) {
    if (!isOpen) {
      throw new InvalidArgumentException(
          "no physical memory has the handle 0x"
              + Long.toHexString(handle)
              + ": pass a handle that create() returned and that was not released");
    }
  }

  private void requireRange(long address, long bytes) {
    requireSize(bytes);
    if (address % getGranularity() != 0) {
      throw new InvalidArgumentException(
          "0x"
              + Long.toHexString(address)
              + " is not a multiple of the granularity of"
              + " "
              + getGranularity()
              + " bytes");
    }
  }

  private static String range(long address, long bytes) {
    return bytes + " bytes at 0x" + Long.toHexString(address);
  }
}
