package org.vramkit.gpu;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.device.Device;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.VirtualMemoryUse;

@EnabledForJreRange(min = JRE.JAVA_22)
@DisplayName("Allocators keep their contract on a real GPU through the JDK's foreign functions")
class FfmAllocatorsKitTest extends AllocatorKits {
  FfmAllocatorsKitTest() {
    super("ffm");
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
