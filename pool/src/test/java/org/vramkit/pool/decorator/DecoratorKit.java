package org.vramkit.pool.decorator;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.pool.SimulatedAllocatorKit;
import org.vramkit.pool.caching.CachingAllocator;

/** The contract of an allocator for a decorator of the caching allocator. */
abstract class DecoratorKit extends SimulatedAllocatorKit {
  private @Nullable CachingAllocator upstream;

  abstract Allocator decorate(Allocator upstream);

  @Override
  protected final Allocator createAllocator(Device device) {
    CachingAllocator fresh = CachingAllocator.builder(device).build();
    upstream = fresh;
    return decorate(fresh);
  }

  @Override
  public final boolean isDecorator() {
    return true;
  }

  @Override
  protected final void assertClean(Backend used) {
    if (upstream != null) {
      upstream.close();
    }
    super.assertClean(used);
  }
}
