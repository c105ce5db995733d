package org.vramkit.guice;

import org.vramkit.api.device.Device;
import org.vramkit.pool.pinned.PinnedPool;

/** Creates a device's pool of page-locked buffers; bind another factory for other settings. */
@FunctionalInterface
public interface PinnedPoolFactory {

  /** Creates a pool. Called once per device, on first use. */
  PinnedPool create(Device device);
}
