package org.vramkit.guice;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;

/** Creates the allocator of a device; bind another factory for other settings or decorators. */
@FunctionalInterface
public interface AllocatorFactory {

  /**
   * Creates an allocator. Called once per device, on first use. {@link GpuResources} closes the
   * returned allocator; if it is a decorator, the application closes the underlying allocator.
   */
  Allocator create(Device device);
}
