package org.vramkit.ffm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.vramkit.cuda.driver.HostMemory;
import org.vramkit.cuda.driver.HostPages;

@DisplayName("17.26 Pages of the operating system")
@EnabledOnOs(OS.LINUX)
class FfmHostPagesTest {
  private static final int BYTES = (3 << 20) + 4096 + 5;

  private final HostPages pages = FfmHostPages.ofSystem();

  /** Returns whether an address is in a mapping of this process. */
  private static boolean isMapped(long address) throws IOException {
    try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines
          .map(line -> line.substring(0, line.indexOf(' ')).split("-"))
          .anyMatch(
              range ->
                  Long.compareUnsigned(Long.parseUnsignedLong(range[0], 16), address) <= 0
                      && Long.compareUnsigned(address, Long.parseUnsignedLong(range[1], 16)) < 0);
    }
  }

  @Test
  @DisplayName("17.26 are zero, writable to the last byte, begin at a huge page, and go back")
  void mapped() throws IOException {
    HostMemory memory = pages.map(BYTES);
    assertNotNull(memory);
    assertEquals(0, memory.getAddress() % (2 << 20));
    ByteBuffer last = memory.view(BYTES - 8, 8);
    assertEquals(0, last.getLong(0));
    last.putLong(0, -1);
    memory.view(0, 1).put(0, (byte) 5);
    assertNotEquals(0, memory.view(BYTES - 1, 1).get(0));
    assertEquals(true, isMapped(memory.getAddress() + BYTES - 1));
    pages.unmap(memory, BYTES);
    assertEquals(false, isMapped(memory.getAddress()));
    assertEquals(false, isMapped(memory.getAddress() + BYTES - 1));
  }

  @Test
  @DisplayName("17.26 that no process can have are none")
  void tooMany() {
    assertNull(pages.map(Long.MAX_VALUE / 2));
  }
}
