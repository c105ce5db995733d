package org.vramkit.agent;

import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.device.Backend;
import org.vramkit.api.discovery.Backends;
import org.vramkit.sim.hazard.Strictness;
import org.vramkit.testkit.BackendKit;
import org.vramkit.testkit.sim.LeakPolicy;
import org.vramkit.testkit.sim.SimulatedGpu;

@SimulatedCuda
@SimulatedGpu(
    devices = 2,
    leaks = LeakPolicy.ALLOW,
    recording = false,
    strictness = Strictness.LENIENT)
@DisplayName("The backend over JavaCPP keeps the contract of a backend on the simulated driver")
class JavaCppBackendKitTest extends BackendKit {
  @Override
  protected Backend openBackend() {
    return Backends.open("javacpp");
  }
}
