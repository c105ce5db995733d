package org.vramkit.gpu;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.allocator.Workspace;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.driverpool.DriverPoolAllocator;
import org.vramkit.pool.streamordered.StreamOrderedPool;
import org.vramkit.pool.workspace.WorkspacePool;
import org.vramkit.testkit.WorkspaceKit;

/** The kits of all allocators that run on a CUDA backend with any binding, and of workspaces. */
@Tag("gpu")
abstract class AllocatorKits {
  final String backend;

  AllocatorKits(String backend) {
    this.backend = backend;
  }

  @Nested
  @DisplayName("CachingAllocator on segments")
  class CachingOnSegments extends RealAllocatorKit {
    CachingOnSegments() {
      super(backend);
    }

    @Override
    protected Allocator createAllocator(Device device) {
      return CachingAllocator.builder(device).virtualMemory(VirtualMemoryUse.OFF).build();
    }
  }

  @Nested
  @DisplayName("StreamOrderedPool")
  class StreamOrdered extends RealAllocatorKit {
    StreamOrdered() {
      super(backend);
    }

    @Override
    protected Allocator createAllocator(Device device) {
      return StreamOrderedPool.builder(device).build();
    }
  }

  @Nested
  @DisplayName("DriverPoolAllocator")
  class Native extends RealAllocatorKit {
    Native() {
      super(backend);
    }

    @Override
    protected Allocator createAllocator(Device device) {
      return DriverPoolAllocator.builder(device).build();
    }
  }

  @Nested
  @DisplayName("WorkspacePool over CachingAllocator")
  class Workspaces extends WorkspaceKit {
    private final RealMemory memory = new RealMemory(backend);

    @Override
    protected Backend openBackend() {
      return memory.open();
    }

    @Override
    protected void assertClean(Backend used) {
      memory.assertAsBefore(used);
    }

    @Override
    protected Allocator createAllocator(Device device) {
      return CachingAllocator.create(device);
    }

    @Override
    protected Workspace createWorkspace(Allocator slabs) {
      return WorkspacePool.create(slabs);
    }
  }
}
