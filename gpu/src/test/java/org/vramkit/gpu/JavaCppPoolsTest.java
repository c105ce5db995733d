package org.vramkit.gpu;

import org.junit.jupiter.api.DisplayName;

@DisplayName("Pools and scatters on real GPUs through JavaCpp")
class JavaCppPoolsTest extends RealPools {
  JavaCppPoolsTest() {
    super("javacpp");
  }
}
