package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.discovery.Backends;

/**
 * Opens each real backend once and keeps it open until the process ends, because creating the
 * driver's contexts is slow.
 */
final class RealGpu {
  private static final Map<String, Backend> KEPT = new ConcurrentHashMap<>();

  private RealGpu() {}

  static Backend open(String name) {
    kept(name);
    return Backends.open(name);
  }

  private static Backend kept(String name) {
    return KEPT.computeIfAbsent(name, RealGpu::openAndUse);
  }

  private static Backend openAndUse(String name) {
    Backend backend = Backends.open(name);
    backend.getDevices().forEach(RealGpu::use);
    return backend;
  }

  /** Runs each kind of work once, because the driver allocates memory for itself on first use. */
  private static void use(Device device) {
    long address = device.getMemory().allocate(1);
    try (var stream = device.createStream()) {
      stream.fill(address, (byte) 0, 1);
    }
    device.synchronize();
    device.getMemory().free(address);
  }

  /** Waits for all devices of a backend, which fails if one of them has failed. */
  static void assertQuiet(String name) {
    for (Device device : kept(name).getDevices()) {
      device.synchronize();
      assertTrue(device.getDefaultStream().isIdle(), device + " is idle");
    }
  }
}
