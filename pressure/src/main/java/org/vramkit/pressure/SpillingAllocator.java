package org.vramkit.pressure;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Stream;

/** Spills before an allocation fails. */
final class SpillingAllocator extends ForwardingAllocator {
  private final SpillStore store;

  SpillingAllocator(Allocator upstream, SpillStore store) {
    super(upstream, store.lock);
    this.store = store;
  }

  @Override
  Allocation take(long bytes, long alignment, Stream stream) {
    return store.allocate(bytes, alignment, stream);
  }
}
