package org.vramkit.guice;

import org.vramkit.api.device.Device;
import org.vramkit.pool.stream.StreamPool;

/** Makes a device's pool of streams; bind another one for other settings. */
@FunctionalInterface
public interface StreamPoolFactory {

  /** Called once for each device whose pool of streams is used. */
  StreamPool create(Device device);
}
