package org.vramkit.sim.examples;

import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;

/** Work on two streams without the order that it needs. See {@link Examples}. */
final class OrderExamples {
  private OrderExamples() {}

  @Gives(HazardCode.RACE_RAW)
  static void readAfterWrite(SimDevice gpu, SimStream a, SimStream b) {
    long memory = gpu.getMemory().allocate(4096);
    try (SimEvent event = gpu.createEvent()) {
      event.record(a); // one line too early
      a.launch(SimKernel.named("produce").writes(memory, 4096).build());
      b.waitFor(event);
    }
    b.launch(SimKernel.named("consume").reads(memory, 4096).build());
  }

  @Gives(HazardCode.RACE_WAR)
  static void writeAfterRead(SimDevice gpu, SimStream a, SimStream b) {
    long memory = gpu.getMemory().allocate(4096);
    a.launch(SimKernel.named("produce").writes(memory, 4096).build());
    a.synchronize();
    b.launch(SimKernel.named("consume").reads(memory, 4096).build());
    a.launch(SimKernel.named("produce").writes(memory, 4096).build());
  }

  @Gives(HazardCode.RACE_WAW)
  static void writeAfterWrite(SimDevice gpu, SimStream a, SimStream b) {
    long memory = gpu.getMemory().allocate(4096);
    a.launch(SimKernel.named("left").writes(memory, 2049).build());
    b.launch(SimKernel.named("right").writes(memory + 2048, 2048).build());
  }

  @Gives(HazardCode.WAIT_ON_UNRECORDED_EVENT)
  static void unrecorded(SimDevice gpu, SimStream a, SimStream b) {
    try (SimEvent event = gpu.createEvent()) {
      b.waitFor(event);
      event.record(a);
    }
  }

  @Gives(HazardCode.USE_BEFORE_ALLOC)
  static void useBeforeAllocation(SimDevice gpu, SimStream a, SimStream b) {
    long memory = gpu.getStreamOrderedMemory().allocate(4096, a);
    b.launch(SimKernel.named("produce").writes(memory, 4096).build());
  }

  @Gives(HazardCode.FREE_BEFORE_ALLOC)
  static void freeBeforeAllocation(SimDevice gpu, SimStream a, SimStream b) {
    StreamOrderedMemory memory = gpu.getStreamOrderedMemory();
    long address = memory.allocate(4096, a);
    memory.free(address, b);
  }

  @Gives(HazardCode.FREE_RACE)
  static void freeRace(SimDevice gpu, SimStream a, SimStream b) {
    StreamOrderedMemory memory = gpu.getStreamOrderedMemory();
    long address = memory.allocate(4096, a);
    a.synchronize();
    a.launch(SimKernel.named("produce").writes(address, 4096).build());
    memory.free(address, b);
  }

  @Gives(HazardCode.FREE_IN_FLIGHT)
  static void freeInFlight(SimDevice gpu, SimStream a, SimStream b) {
    long memory = gpu.getMemory().allocate(4096);
    a.launch(SimKernel.named("produce").writes(memory, 4096).build());
    b.synchronize(); // the wrong stream
    gpu.getMemory().free(memory);
  }
}
