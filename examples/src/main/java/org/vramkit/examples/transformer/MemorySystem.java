package org.vramkit.examples.transformer;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.pool.driverpool.DriverPoolAllocator;
import org.vramkit.pool.streamordered.StreamOrderedPool;

/**
 * The source of the activations and temporaries of a training. Parameters, gradients and workspaces
 * are taken once from the same allocator, and cached by their pools.
 */
public enum MemorySystem {
  /** The driver's plain memory, by {@code cuMemAlloc} and {@code cuMemFree}. */
  CUDA_MALLOC {
    @Override
    Allocator open(Device device, Device... peers) {
      return DirectAllocator.builder(device).build();
    }
  },
  /** A pool of the driver, by {@code cuMemAllocFromPoolAsync} and {@code cuMemFreeAsync}. */
  DRIVER_POOL {
    @Override
    Allocator open(Device device, Device... peers) {
      return DriverPoolAllocator.builder(device).accessibleFrom(peers).build();
    }
  },
  /** Activations from the caching allocator, temporaries from a stream-ordered pool. */
  VRAMKIT {
    @Override
    Allocator open(Device device, Device... peers) {
      return CachingAllocator.builder(device).accessibleFrom(peers).build();
    }

    @Override
    Allocator openForTemporaries(Device device, Allocator allocator) {
      return StreamOrderedPool.builder(device).build();
    }
  };

  /** Opens the allocator of a device, whose memory the peers can access. */
  abstract Allocator open(Device device, Device... peers);

  /** Opens the allocator of temporaries; by default it is that of all other memory. */
  Allocator openForTemporaries(Device device, Allocator allocator) {
    return allocator;
  }
}
