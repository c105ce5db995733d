package org.vramkit.sim.examples;

import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;

/** Calls that no order could make right. See {@link Examples}. */
final class CallExamples {
  private CallExamples() {}

  @Gives(HazardCode.WRONG_DEVICE)
  static void wrongDevice(SimDevice gpu, SimStream a, SimStream b) {
    SimStream elsewhere = gpu.getBackend().getDevice(1).createStream("elsewhere");
    try (SimEvent event = gpu.createEvent()) {
      event.record(elsewhere); // throws
    }
  }

  @Gives(value = HazardCode.NO_CONTEXT, requireContext = true)
  static void noContext(SimDevice gpu, SimStream a, SimStream b) {
    long memory = gpu.getMemory().allocate(4096);
    a.launch(SimKernel.named("produce").writes(memory, 4096).build()); // not inside gpu.bind()
  }

  @Gives(HazardCode.INVALID_HANDLE)
  static void invalidHandle(SimDevice gpu, SimStream a, SimStream b) {
    SimEvent event = gpu.createEvent();
    event.close();
    a.waitFor(event); // throws
  }

  @Gives(HazardCode.NOT_PERMITTED)
  static void notPermitted(SimDevice gpu, SimStream a, SimStream b) {
    a.callHost("careless", () -> gpu.getMemory().allocate(512));
    a.synchronize(); // throws
  }

  @Gives(HazardCode.DEADLOCK)
  static void deadlock(SimDevice gpu, SimStream a, SimStream b) {
    a.waitFor(gpu.getBackend().createGate("start"));
    a.synchronize(); // throws, because no thread can open the gate
  }
}
