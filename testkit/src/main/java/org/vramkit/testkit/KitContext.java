package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;

/** Provides the backend of the running test. */
interface KitContext {

  /** Returns the backend of the running test. */
  Backend getBackend();

  /** Clears the reports of a checker after the running test has misused the backend on purpose. */
  void forgetMisuse();

  /** Runs an action with device memory of the first device, as {@link DeviceBytes} does. */
  default void withMemory(long bytes, LongConsumer action) {
    DeviceBytes.withMemory(getDevice(), bytes, action);
  }

  /** Runs an action with device memory and a new stream of the first device. */
  default void withMemory(long bytes, ObjLongConsumer<Stream> action) {
    withMemory(
        bytes,
        address -> {
          try (Stream stream = getDevice().createStream()) {
            action.accept(stream, address);
          }
        });
  }

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
   * Asserts that an object returns the test's own device object, because allocators and pools
   * compare devices by identity.
   */
  default void assertSameDevice(Device found, String what) {
    assertSame(
        getDevice(),
        found,
        () ->
            what
                + " must return the device that created it; a backend that wraps another one must"
                + " also wrap its streams, events and pools");
  }

  /** Skips the test with a message if the device lacks the capability. */
  default void assumeSupported(Capability capability) {
    Device device = getDevice();
    assumeTrue(
        device.supports(capability),
        () -> device.getProperties().name() + " lacks " + capability + " in this backend");
  }
}
