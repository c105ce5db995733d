package org.vramkit.agent;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.discovery.Backends;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.driverpool.DriverPoolAllocator;
import org.vramkit.pool.streamordered.StreamOrderedPool;
import org.vramkit.testkit.AllocatorKit;

@DisplayName("Allocators keep their contract on the simulated driver, through")
class AllocatorKitsTest {
  @SimulatedCuda
  abstract static class Kit extends AllocatorKit {
    private final String backend;

    Kit(String backend) {
      this.backend = backend;
    }

    @Override
    protected Backend openBackend() {
      return Backends.open(backend);
    }
  }

  @Nested
  @DisplayName("JavaCPP: CachingAllocator on pages")
  class CachingOnPagesOfJavaCpp extends Kit {
    CachingOnPagesOfJavaCpp() {
      super("javacpp");
    }

    @Override
    protected Allocator createAllocator(Device device) {
      return CachingAllocator.builder(device).virtualMemory(VirtualMemoryUse.ON).build();
    }
  }

  @Nested
  @DisplayName("JavaCPP: StreamOrderedPool")
  class StreamOrderedOfJavaCpp extends Kit {
    StreamOrderedOfJavaCpp() {
      super("javacpp");
    }

    @Override
    protected Allocator createAllocator(Device device) {
      return StreamOrderedPool.builder(device).build();
    }
  }

  @Nested
  @DisplayName("JavaCPP: DriverPoolAllocator")
  class DriverPoolOfJavaCpp extends Kit {
    DriverPoolOfJavaCpp() {
      super("javacpp");
    }

    @Override
    protected Allocator createAllocator(Device device) {
      return DriverPoolAllocator.builder(device).build();
    }
  }

  @Nested
  @DisplayName("JCuda: CachingAllocator on segments")
  class CachingOnSegmentsOfJCuda extends Kit {
    CachingOnSegmentsOfJCuda() {
      super("jcuda");
    }

    @Override
    protected Allocator createAllocator(Device device) {
      return CachingAllocator.builder(device).virtualMemory(VirtualMemoryUse.OFF).build();
    }
  }

  @Nested
  @Tag("nightly")
  @DisplayName("JCuda: StreamOrderedPool")
  class StreamOrderedOfJCuda extends Kit {
    StreamOrderedOfJCuda() {
      super("jcuda");
    }

    @Override
    protected Allocator createAllocator(Device device) {
      return StreamOrderedPool.builder(device).build();
    }
  }

  @Nested
  @Tag("nightly")
  @DisplayName("JCuda: DriverPoolAllocator")
  class DriverPoolOfJCuda extends Kit {
    DriverPoolOfJCuda() {
      super("jcuda");
    }

    @Override
    protected Allocator createAllocator(Device device) {
      return DriverPoolAllocator.builder(device).build();
    }
  }
}
