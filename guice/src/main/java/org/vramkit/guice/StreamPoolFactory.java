package org.vramkit.guice;

import org.vramkit.api.device.Device;
import org.vramkit.pool.stream.StreamPool;

/** Creates a device's stream pool; bind another factory for other settings. */
@FunctionalInterface
public interface StreamPoolFactory {

  /** Creates a pool. Called once per device, on first use. */
  StreamPool create(Device device);
}
