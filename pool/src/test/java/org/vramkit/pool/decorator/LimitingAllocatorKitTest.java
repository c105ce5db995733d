package org.vramkit.pool.decorator;

import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocator;

@DisplayName("LimitingAllocator keeps the contract of an allocator")
class LimitingAllocatorKitTest extends DecoratorKit {

  @Override
  Allocator decorate(Allocator upstream) {
    return LimitingAllocator.over(upstream, Long.MAX_VALUE);
  }
}
