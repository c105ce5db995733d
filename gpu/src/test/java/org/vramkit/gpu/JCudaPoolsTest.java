package org.vramkit.gpu;

import org.junit.jupiter.api.DisplayName;

@DisplayName("Pools and scatters on real GPUs through JCuda")
class JCudaPoolsTest extends RealPools {
  JCudaPoolsTest() {
    super("jcuda");
  }
}
