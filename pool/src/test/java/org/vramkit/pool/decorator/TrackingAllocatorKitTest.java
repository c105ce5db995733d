package org.vramkit.pool.decorator;

import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocator;

@DisplayName("TrackingAllocator keeps the contract of an allocator")
class TrackingAllocatorKitTest extends DecoratorKit {

  @Override
  Allocator decorate(Allocator upstream) {
    return TrackingAllocator.withStacks(upstream);
  }
}
