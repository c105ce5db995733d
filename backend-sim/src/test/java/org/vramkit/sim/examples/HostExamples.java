package org.vramkit.sim.examples;

import java.nio.ByteBuffer;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;

/** Bytes that nobody wrote, page-locked memory, and frees as barriers. See {@link Examples}. */
final class HostExamples {
  private HostExamples() {}

  @Gives(HazardCode.UNINIT_READ)
  static void unwritten(SimDevice gpu, SimStream a, SimStream b) {
    long memory = gpu.getMemory().allocate(4096);
    a.fill(memory, (byte) 0, 4000);
    a.launch(SimKernel.named("sum").reads(memory, 4096).build());
  }

  @Gives(HazardCode.HOST_RACE)
  static void hostRace(SimDevice gpu, SimStream a, SimStream b) {
    long memory = gpu.getMemory().allocate(4096);
    PinnedBuffer pinned = gpu.getPinnedMemory().allocate(4096);
    ByteBuffer view = pinned.getBytes(0, 4096);
    a.copyToDevice(memory, pinned, 0, 4096);
    view.put(17, (byte) 1);
    a.synchronize(); // one line too late
  }

  @Gives(HazardCode.HOST_READ_RACE)
  static void hostReadRace(SimDevice gpu, SimStream a, SimStream b) {
    long memory = gpu.getMemory().allocate(4096);
    PinnedBuffer pinned = gpu.getPinnedMemory().allocate(4096);
    a.fill(memory, (byte) 0, 4096);
    a.copyToHost(pinned, 0, memory, 4096);
    gpu.getBackend().hostReads(pinned, 0, 4096);
    pinned.getBytes(0, 4096).get(0);
    a.synchronize(); // two lines too late
  }

  @Gives(HazardCode.RELIES_ON_FREE_SYNC)
  static void reliesOnFree(SimDevice gpu, SimStream a, SimStream b) {
    long memory = gpu.getMemory().allocate(4096);
    long scratch = gpu.getMemory().allocate(4096);
    a.launch(SimKernel.named("produce").writes(memory, 4096).build());
    gpu.getMemory().free(scratch); // taken for a barrier
    b.launch(SimKernel.named("consume").reads(memory, 4096).build());
  }
}
