package org.vramkit.bench.trace;

import java.util.List;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;

/** A backend with one {@link ClockDevice}. */
final class ClockBackend implements Backend {
  private final ClockDevice device = new ClockDevice(this);

  ClockDevice device() {
    return device;
  }

  @Override
  public String getName() {
    return "clock";
  }

  @Override
  public List<Device> getDevices() {
    return List.of(device);
  }

  @Override
  public Device getDevice(int ordinal) {
    if (ordinal != 0) {
      throw new InvalidArgumentException(
          "no device " + ordinal + "; the only device has ordinal 0");
    }
    return device;
  }

  @Override
  public void close() {}
}
