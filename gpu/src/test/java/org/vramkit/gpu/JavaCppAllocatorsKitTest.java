package org.vramkit.gpu;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.VirtualMemoryUse;

@DisplayName("Allocators keep their contract on a real GPU through JavaCpp")
class JavaCppAllocatorsKitTest extends AllocatorKits {
  JavaCppAllocatorsKitTest() {
    super("javacpp");
  }

  @Nested
  @DisplayName("CachingAllocator on pages")
  class CachingOnPages extends RealAllocatorKit {
    CachingOnPages() {
      super(backend);
    }

    @Override
    protected Allocator createAllocator(Device device) {
      return CachingAllocator.builder(device).virtualMemory(VirtualMemoryUse.ON).build();
    }
  }
}
