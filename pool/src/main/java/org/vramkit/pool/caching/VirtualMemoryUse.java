package org.vramkit.pool.caching;

/** What kind of memory the allocator is built on. */
public enum VirtualMemoryUse {
  /** Virtual memory where the device has it, else segments. */
  AUTO,
  /** Virtual memory; an error where the device lacks it. */
  ON,
  /** Segments from plain allocation. */
  OFF
}
