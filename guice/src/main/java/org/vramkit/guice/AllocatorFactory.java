package org.vramkit.guice;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;

/** Makes the allocator of a device; bind another one for other settings or decorators. */
@FunctionalInterface
public interface AllocatorFactory {

  /**
   * Called once for each device that is used. The injector's resources close what it returns; a
   * decorator leaves the allocator beneath open, so close that one yourself.
   */
  Allocator create(Device device);
}
