package org.vramkit.cuda;

import java.util.Arrays;
import java.util.List;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.cuda.driver.VirtualMemoryCalls;
import org.vramkit.sim.SimDevice;

/** Virtual memory calls. */
final class SimulatedVirtualMemory extends SimulatedCalls implements VirtualMemoryCalls {
  SimulatedVirtualMemory(SimulatedProcess process) {
    super(process);
  }

  @Override
  public int cuMemGetAllocationGranularity(long[] bytes, int ordinal) {
    return code(() -> bytes[0] = of(ordinal).getVirtualMemory().getGranularity());
  }

  @Override
  public int cuMemAddressReserve(long[] address, long bytes) {
    return here(() -> address[0] = device().getVirtualMemory().reserve(bytes));
  }

  @Override
  public int cuMemAddressFree(long address, long bytes) {
    return here(() -> device().getVirtualMemory().unreserve(address, bytes));
  }

  @Override
  public int cuMemCreate(long[] handle, long bytes, int ordinal) {
    return code(() -> handle[0] = of(ordinal).getVirtualMemory().create(bytes));
  }

  @Override
  public int cuMemRelease(long handle) {
    return here(() -> device().getVirtualMemory().release(handle));
  }

  @Override
  public int cuMemMap(long address, long bytes, long handle) {
    return here(() -> device().getVirtualMemory().map(address, bytes, handle));
  }

  @Override
  public int cuMemSetAccess(long address, long bytes, int[] ordinals, boolean allowed) {
    List<Device> devices = Arrays.stream(ordinals).<Device>mapToObj(this::of).toList();
    VirtualMemory memory = device().getVirtualMemory();
    return here(
        () -> {
          if (allowed) {
            memory.setAccess(address, bytes, devices);
          } else {
            devices.forEach(each -> memory.removeAccess(address, bytes, each));
          }
        });
  }

  @Override
  public int cuMemUnmap(long address, long bytes) {
    return here(() -> device().getVirtualMemory().unmap(address, bytes));
  }

  private SimDevice of(int ordinal) {
    return sim.getDevice(ordinal);
  }
}
