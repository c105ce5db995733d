package org.vramkit.guice;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.pool.buffer.BufferPool;

/** Makes the buffer pool of a device; bind another one for other settings. */
@FunctionalInterface
public interface BufferPoolFactory {

  /** Called once for each device whose buffer pool is used. */
  BufferPool create(Allocator allocator);
}
