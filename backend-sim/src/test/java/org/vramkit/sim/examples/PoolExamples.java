package org.vramkit.sim.examples;

import org.vramkit.api.device.MemoryObserver;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;

/** Blocks of a pool, told by the calls that every pool of Vramkit makes. See {@link Examples}. */
final class PoolExamples {
  private PoolExamples() {}

  @Gives(HazardCode.EARLY_REUSE)
  static void earlyReuse(SimDevice gpu, SimStream a, SimStream b) {
    MemoryObserver pool = gpu.getMemoryObserver();
    long block = gpu.getMemory().allocate(4096);
    pool.allocated(block, 4096, a, "batch");
    a.launch(SimKernel.named("load").writes(block, 4096).build());
    a.synchronize();
    b.launch(SimKernel.named("train").reads(block, 4096).build());
    pool.freed(block, a); // before it: pool.used(block, b), which Allocation.recordUse calls
  }

  @Gives(HazardCode.RECORD_AFTER_FREE)
  static void recordAfterFree(SimDevice gpu, SimStream a, SimStream b) {
    MemoryObserver pool = gpu.getMemoryObserver();
    long block = gpu.getMemory().allocate(4096);
    pool.allocated(block, 4096, a);
    pool.freed(block, a);
    pool.used(block, b);
  }

  @Gives(HazardCode.OVERLAPPING_BLOCKS)
  static void overlapping(SimDevice gpu, SimStream a, SimStream b) {
    MemoryObserver pool = gpu.getMemoryObserver();
    long segment = gpu.getMemory().allocate(4096);
    pool.allocated(segment, 4096, a);
    pool.allocated(segment + 512, 512, b);
  }
}
