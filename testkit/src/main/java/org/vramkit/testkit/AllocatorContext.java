package org.vramkit.testkit;

import org.vramkit.api.allocator.Allocator;

/** Provides the allocator of the running test. */
interface AllocatorContext extends KitContext {

  /** Returns the allocator of the running test, on the first device. */
  Allocator getAllocator();

  /**
   * Returns whether the allocator delegates to another one, which stays open and provides the
   * statistics.
   */
  boolean isDecorator();
}
