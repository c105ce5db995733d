package org.vramkit.javacpp;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@DisplayName("Views and pointers into page-locked memory reach the given bytes")
class JavaCppHostMemoryTest {
  private static final long SIZE = 5L << 30;

  private final JavaCppHostMemory memory =
      new JavaCppHostMemory(JavaCppInterop.pointer(0x7f00_0000_0000L, SIZE));

  @Test
  @DisplayName("an empty view has no bytes, also at the end of the memory")
  void empty() {
    assertAll(
        () -> assertEquals(0, memory.view(0, 0).capacity()),
        () -> assertEquals(0, memory.view(SIZE, 0).capacity()));
  }

  @Test
  @DisplayName("offsets beyond 4 GiB are whole, and leave the memory's own pointer where it was")
  void farOffset() {
    assertEquals(0x7f00_0000_0000L + (4L << 30) + 1, memory.at((4L << 30) + 1).address());
    assertEquals(0x7f00_0000_0000L, memory.getAddress());
  }

  @Test
  @EnabledOnOs(
      value = OS.LINUX,
      architectures = "amd64",
      disabledReason = "the natives of JavaCPP among the tests are those for Linux on x86-64")
  @DisplayName("slices and offsets of a user's buffer have its addresses")
  void ownMemory() {
    ByteBuffer own = ByteBuffer.allocateDirect(100);
    JavaCppHostMemory whole = JavaCppHostMemory.of(own);
    JavaCppHostMemory slice = JavaCppHostMemory.of(own.position(7).slice());
    assertEquals(whole.getAddress() + 7, slice.getAddress());
    assertEquals(whole.getAddress() + 10, slice.at(3).address());
    assertEquals(own.alignmentOffset(0, 4096), whole.getAddress() % 4096);
  }
}
