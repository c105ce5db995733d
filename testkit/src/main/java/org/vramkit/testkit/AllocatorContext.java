package org.vramkit.testkit;

import org.vramkit.api.allocator.Allocator;

/** Provides an allocator to the running test. */
interface AllocatorContext extends KitContext {

  /** Returns the allocator of the running test, on the first device. */
  Allocator getAllocator();

  /** Returns whether it delegates to an allocator that stays open, and shows its statistics. */
  boolean isDecorator();
}
