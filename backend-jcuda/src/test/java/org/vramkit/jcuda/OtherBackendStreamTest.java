package org.vramkit.jcuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OtherBackendStreamTest {
  private static final long ADDRESS = 0x7f00_0000_0000L;

  @Test
  @DisplayName("23.1 a stream of another CUDA backend is one of JCuda's by its address")
  void otherBackend() {
    assertEquals(ADDRESS, NativePointers.addressOf(JCudaHandle.stream(() -> ADDRESS)));
  }
}
