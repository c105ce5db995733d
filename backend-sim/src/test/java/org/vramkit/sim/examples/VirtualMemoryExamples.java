package org.vramkit.sim.examples;

import org.vramkit.api.device.VirtualMemory;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;

/** Addresses and the memory behind them. See {@link Examples}. */
final class VirtualMemoryExamples {
  private VirtualMemoryExamples() {}

  @Gives(HazardCode.ACCESS_NOT_MAPPED)
  static void notMapped(SimDevice gpu, SimStream a, SimStream b) {
    VirtualMemory memory = gpu.getVirtualMemory();
    long page = memory.getGranularity();
    long range = memory.reserve(page);
    memory.map(range, page, memory.create(page));
    a.launch(SimKernel.named("produce").writes(range, page).build()); // setAccess is missing
  }

  @Gives(HazardCode.SUSPENDED_ACCESS)
  static void suspended(SimDevice gpu, SimStream a, SimStream b) {
    VirtualMemory memory = gpu.getVirtualMemory();
    long page = memory.getGranularity();
    long range = memory.reserve(page);
    memory.map(range, page, memory.create(page));
    memory.setAccess(range, page, gpu);
    gpu.getMemoryObserver().allocated(range, 4096, a); // a pool reports its block
    a.synchronize();
    gpu.getMemoryObserver().suspended(range, page);
    memory.unmap(range, page);
    a.launch(SimKernel.named("produce").writes(range, 4096).build()); // and was not resumed
  }

  @Gives(HazardCode.UNMAP_UNDER_WORK)
  static void unmapUnderWork(SimDevice gpu, SimStream a, SimStream b) {
    VirtualMemory memory = gpu.getVirtualMemory();
    long page = memory.getGranularity();
    long range = memory.reserve(page);
    memory.map(range, page, memory.create(page));
    memory.setAccess(range, page, gpu);
    a.launch(SimKernel.named("produce").writes(range, page).build());
    memory.unmap(range, page);
  }

  @Gives(HazardCode.INVALID_VALUE)
  static void invalidValue(SimDevice gpu, SimStream a, SimStream b) {
    gpu.getVirtualMemory().reserve(4096); // throws
  }
}
