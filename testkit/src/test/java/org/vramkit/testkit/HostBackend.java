package org.vramkit.testkit;

import java.util.List;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;

/** The simplest backend that keeps the contract: host memory, and all work done when submitted. */
final class HostBackend implements Backend {
  private final List<Device> devices;

  HostBackend() {
    devices = List.of(new HostDevice(this, 0), new HostDevice(this, 1));
  }

  @Override
  public String getName() {
    return "host";
  }

  @Override
  public List<Device> getDevices() {
    return devices;
  }

  @Override
  public Device getDevice(int ordinal) {
    if (ordinal < 0 || ordinal >= devices.size()) {
      throw new InvalidArgumentException("no device " + ordinal + ": there are " + devices.size());
    }
    return devices.get(ordinal);
  }

  @Override
  public void close() {}
}
