package org.vramkit.testkit;

import org.vramkit.api.allocator.Allocator;

/** What the tests of an allocator have at hand: an allocator made for the running test alone. */
interface AllocatorContext extends KitContext {

  /** The allocator of the running test, on the first device. */
  Allocator getAllocator();

  /** Whether it passes calls on to an allocator that stays open and whose figures it shows. */
  boolean isDecorator();
}
