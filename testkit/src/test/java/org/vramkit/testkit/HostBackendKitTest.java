package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.device.Backend;

/** The kit on a backend that does everything at once: a right one passes. */
@DisplayName("The kit on host memory")
class HostBackendKitTest extends BackendKit {

  @Override
  protected Backend openBackend() {
    return new HostBackend();
  }

  @Override
  protected void assertClean(Backend used) {
    used.getDevices()
        .forEach(
            device -> assertEquals(0, ((HostDevice) device).memory().count(), "ranges not freed"));
  }
}
