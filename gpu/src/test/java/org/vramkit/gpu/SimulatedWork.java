package org.vramkit.gpu;

import org.vramkit.api.device.Stream;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

/** Simulated kernels, to rehearse measurements without a GPU. */
final class SimulatedWork implements ScatterWork {
  @Override
  public void launch(Limit limit, Stream stream, long address, int count) {
    long bytes = (long) count * Float.BYTES;
    ((SimStream) stream)
        .launch(SimKernel.named(limit.name()).reads(address, bytes).writes(address, bytes).build());
  }

  @Override
  public void close() {
    // No resources.
  }
}
