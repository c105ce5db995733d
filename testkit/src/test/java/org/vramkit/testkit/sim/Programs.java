package org.vramkit.testkit.sim;

import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

/** Small programs for tests to run: a producer and a consumer, right and wrong. */
final class Programs {
  static final long BYTES = 4096;

  private Programs() {}

  /** The consumer reads without waiting. */
  static void race(SimDevice device, SimStream producer, SimStream consumer) {
    long block = device.getMemory().allocate(BYTES);
    write(producer, block);
    read(consumer, block);
    device.synchronize();
    device.getMemory().free(block);
  }

  /** The consumer waits for the producer. */
  static void handOver(SimDevice device, SimStream producer, SimStream consumer) {
    long block = device.getMemory().allocate(BYTES);
    write(producer, block);
    try (SimEvent written = device.createEvent()) {
      written.record(producer);
      consumer.waitFor(written);
    }
    read(consumer, block);
    device.synchronize();
    device.getMemory().free(block);
  }

  /** The memory goes while the stream still writes it. */
  static void freeUnderWork(SimDevice device, SimStream stream) {
    long block = device.getMemory().allocate(BYTES);
    write(stream, block);
    device.getMemory().free(block);
  }

  private static void write(SimStream stream, long block) {
    stream.launch(SimKernel.named("produce").writes(block, BYTES).build());
  }

  private static void read(SimStream stream, long block) {
    stream.launch(SimKernel.named("consume").reads(block, BYTES).build());
  }
}
