package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;

/** Gives a contract's tests a backend that is opened for the running test alone. */
interface KitContext {

  /** The backend of the running test. */
  Backend getBackend();

  /**
   * The running test misused the backend on purpose and saw the error that it expects: a checker
   * that also took note of it shall forget.
   */
  void forgetMisuse();

  /** The first device. */
  default Device getDevice() {
    return getBackend().getDevice(0);
  }

  /** The second device; skips the test where there is none. */
  default Device getSecondDevice() {
    List<Device> devices = getBackend().getDevices();
    assumeTrue(devices.size() > 1, () -> "needs two devices, found " + devices.size());
    return devices.get(1);
  }

  /** Allocators and pools tell whose something is by its device. */
  default void assertLeadsBack(Device found, String what) {
    assertSame(
        getDevice(),
        found,
        () ->
            what
                + " leads back to the device that handed it out; a backend around another one wraps"
                + " streams, events and pools as it wraps devices");
  }

  /** Skips the test on a device that cannot do this, saying so. */
  default void assumeSupported(Capability capability) {
    Device device = getDevice();
    assumeTrue(
        device.supports(capability),
        () -> device.getProperties().name() + " lacks " + capability + " in this backend");
  }
}
