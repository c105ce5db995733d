package org.vramkit.sim.examples;

import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;

/** Memory that is not, or no longer, or not so much of it the user's. See {@link Examples}. */
final class MemoryExamples {
  private MemoryExamples() {}

  @Gives(HazardCode.USE_AFTER_FREE)
  static void useAfterFree(SimDevice gpu, SimStream a, SimStream b) {
    long memory = gpu.getMemory().allocate(4096);
    gpu.getMemory().free(memory);
    a.launch(SimKernel.named("produce").writes(memory, 4096).build());
  }

  @Gives(HazardCode.DOUBLE_FREE)
  static void doubleFree(SimDevice gpu, SimStream a, SimStream b) {
    long memory = gpu.getMemory().allocate(4096);
    gpu.getMemory().free(memory);
    gpu.getMemory().free(memory); // throws
  }

  @Gives(HazardCode.STALE_HANDLE)
  static void staleHandle(SimDevice gpu, SimStream a, SimStream b) {
    long memory = gpu.getMemory().allocate(4096);
    gpu.getMemory().free(memory);
    gpu.getMemory().allocate(4096);
    gpu.getMemory().free(memory); // throws
  }

  @Gives(HazardCode.INVALID_FREE)
  static void invalidFree(SimDevice gpu, SimStream a, SimStream b) {
    long memory = gpu.getMemory().allocate(4096);
    gpu.getMemory().free(memory + 512); // throws
  }

  @Gives(HazardCode.OUT_OF_BOUNDS)
  static void outOfBounds(SimDevice gpu, SimStream a, SimStream b) {
    long memory = gpu.getMemory().allocate(500);
    a.launch(SimKernel.named("produce").writes(memory, 512).build());
  }

  @Gives(HazardCode.ILLEGAL_ADDRESS)
  static void illegalAddress(SimDevice gpu, SimStream a, SimStream b) {
    a.launch(SimKernel.named("produce").writes(0x1000, 16).build());
  }

  @Gives(HazardCode.OVERLAPPING_COPY)
  static void overlappingCopy(SimDevice gpu, SimStream a, SimStream b) {
    long memory = gpu.getMemory().allocate(4096);
    a.fill(memory, (byte) 0, 4096);
    a.copy(memory + 512, memory, 1024);
  }

  @Gives(HazardCode.PEER_NOT_ENABLED)
  static void peerNotEnabled(SimDevice gpu, SimStream a, SimStream b) {
    long elsewhere = gpu.getBackend().getDevice(1).getMemory().allocate(4096);
    a.launch(SimKernel.named("produce").writes(elsewhere, 4096).build());
  }
}
