package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;

/** Provides a backend to the running test. */
interface KitContext {

  /** Returns the backend of the running test. */
  Backend getBackend();

  /**
   * Clears the reports of a checker after the running test misused the backend on purpose and saw
   * the expected error.
   */
  void forgetMisuse();

  /** Returns the first device. */
  default Device getDevice() {
    return getBackend().getDevice(0);
  }

  /** Returns the second device; skips the test if there is none. */
  default Device getSecondDevice() {
    List<Device> devices = getBackend().getDevices();
    assumeTrue(devices.size() > 1, () -> "needs two devices, found " + devices.size());
    return devices.get(1);
  }

  /**
   * Asserts that a handle returns the device that created it, by which allocators and pools
   * identify owners.
   */
  default void assertLeadsBack(Device found, String what) {
    assertSame(
        getDevice(),
        found,
        () ->
            what
                + " leads back to the device that handed it out; a backend around another one wraps"
                + " streams, events and pools as it wraps devices");
  }

  /** Skips the test on a device without a capability. */
  default void assumeSupported(Capability capability) {
    Device device = getDevice();
    assumeTrue(
        device.supports(capability),
        () -> device.getProperties().name() + " lacks " + capability + " in this backend");
  }
}
