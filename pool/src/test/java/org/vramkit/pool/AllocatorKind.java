package org.vramkit.pool;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.driverpool.DriverPoolAllocator;
import org.vramkit.pool.streamordered.StreamOrderedPool;

/** Every allocator that pools are tested over. */
public enum AllocatorKind {
  /** The caching allocator over virtual memory. */
  CACHING_ON_PAGES {
    @Override
    public Allocator create(Device device) {
      return CachingAllocator.builder(device).virtualMemory(VirtualMemoryUse.ON).build();
    }
  },
  /** The caching allocator over plain memory. */
  CACHING_ON_SEGMENTS {
    @Override
    public Allocator create(Device device) {
      return CachingAllocator.builder(device).virtualMemory(VirtualMemoryUse.OFF).build();
    }
  },
  /** Stream order in software. */
  STREAM_ORDERED {
    @Override
    public Allocator create(Device device) {
      return StreamOrderedPool.builder(device).build();
    }
  },
  /** The driver's own pool. */
  NATIVE {
    @Override
    public Allocator create(Device device) {
      return DriverPoolAllocator.builder(device).build();
    }
  };

  /** An allocator with the default settings. */
  public abstract Allocator create(Device device);
}
