package org.vramkit.guice;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.pool.buffer.BufferPool;

/** Creates the buffer pool of a device; bind another factory for other settings. */
@FunctionalInterface
public interface BufferPoolFactory {

  /** Creates a buffer pool. Called once per device, on first use. */
  BufferPool create(Allocator allocator);
}
