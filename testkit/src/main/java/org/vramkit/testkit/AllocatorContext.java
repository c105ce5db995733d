package org.vramkit.testkit;

import org.vramkit.api.allocator.Allocator;

/** Gives the tests of an allocator one that is made for the running test alone. */
interface AllocatorContext extends KitContext {

  /** The allocator of the running test, on the first device. */
  Allocator getAllocator();

  /**
   * Returns whether it passes calls on to an allocator that stays open and whose figures it shows.
   */
  boolean isDecorator();
}
