package org.vramkit.gpu;

import org.junit.jupiter.api.DisplayName;

@DisplayName("Allocators keep their contract on a real GPU through JCuda")
class JCudaAllocatorsKitTest extends AllocatorKits {
  JCudaAllocatorsKitTest() {
    super("jcuda");
  }
}
