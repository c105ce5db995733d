package org.vramkit.pool.decorator;

import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocator;

@DisplayName("RetryingAllocator keeps the contract of an allocator")
class RetryingAllocatorKitTest extends DecoratorKit {

  @Override
  Allocator decorate(Allocator upstream) {
    return RetryingAllocator.over(upstream, attempt -> attempt.attempt() < 2);
  }
}
