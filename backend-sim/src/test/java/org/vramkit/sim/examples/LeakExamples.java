package org.vramkit.sim.examples;

import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

/** What a program leaves behind. See {@link Examples}. */
final class LeakExamples {
  private LeakExamples() {}

  static void leftBehind(SimDevice gpu) {
    SimStream stream = gpu.createStream("forgotten");
    long memory = gpu.getMemory().allocate(4096);
    stream.launch(SimKernel.named("produce").writes(memory, 4096).build());
    stream.synchronize();
  }
}
