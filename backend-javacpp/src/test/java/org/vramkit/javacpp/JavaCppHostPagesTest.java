package org.vramkit.javacpp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.bytedeco.javacpp.Pointer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.cuda.driver.HostMemory;
import org.vramkit.cuda.driver.HostPages;

@DisplayName("17.26 Pages of the C library")
class JavaCppHostPagesTest {
  private static final int BYTES = (3 << 20) + 4096 + 5;

  private final HostPages pages = new JavaCppHostPages();

  @Test
  @DisplayName("17.26 are writable to the last byte and begin where huge pages do")
  void mapped() {
    HostMemory memory = pages.map(BYTES);
    assertNotNull(memory);
    assertEquals(0, memory.getAddress() % (2 << 20));
    memory.view(BYTES - 8, 8).putLong(0, 7);
    memory.view(0, 8).putLong(0, 9);
    assertEquals(7, memory.view(BYTES - 8, 8).getLong(0));
    pages.unmap(memory, BYTES);
    pages.unmap(memory, BYTES);
  }

  @Test
  @DisplayName("17.26 take at most half of what JavaCPP lets the process have")
  void limited() {
    assertNull(pages.map(Pointer.maxPhysicalBytes() / 2 + 1));
  }
}
