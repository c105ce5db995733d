package org.vramkit.pool.ending;

import org.vramkit.api.device.Stream;
import org.vramkit.pool.support.ReusedHandles;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

/** Kernels that take their time. */
final class Work {
  static final long NANOS = 10_000_000;

  private Work() {}

  static void on(Stream stream, long address, long bytes) {
    SimStream target = stream instanceof SimStream sim ? sim : ReusedHandles.simulated(stream);
    target.launch(SimKernel.named("work").writes(address, bytes).taking(NANOS).build());
  }
}
