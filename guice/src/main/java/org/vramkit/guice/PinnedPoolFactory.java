package org.vramkit.guice;

import org.vramkit.api.device.Device;
import org.vramkit.pool.pinned.PinnedPool;

/** Makes a device's pool of page-locked buffers; bind another one for other settings. */
@FunctionalInterface
public interface PinnedPoolFactory {

  /** Called once for each device whose pool of page-locked buffers is used. */
  PinnedPool create(Device device);
}
