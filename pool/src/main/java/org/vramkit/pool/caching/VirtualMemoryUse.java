package org.vramkit.pool.caching;

/** Selects virtual memory or segments of fixed size. */
public enum VirtualMemoryUse {
  /** Virtual memory if the device supports it, else segments. */
  AUTO,
  /** Virtual memory, or an error if the device lacks it. */
  ON,
  /** Segments from plain allocation. */
  OFF
}
