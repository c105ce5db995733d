package org.vramkit.pool.caching.outofmemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.pool.caching.Sandbox;

@DisplayName("42.28 A snapshot at an out of memory, without the module that writes it")
@ResourceLock(Resources.SYSTEM_PROPERTIES)
class OutOfMemorySnapshotsTest {
  private static final String PROPERTY = "vramkit.snapshot-on-out-of-memory";

  @TempDir private Path folder = Path.of("");

  @Test
  @DisplayName("42.28 the error names the module to add, and the driver's status once")
  void withoutExport() {
    try (Sandbox box = Sandbox.with(b -> b)) {
      long others = box.device.getMemory().allocate(box.device.getMemoryInfo().freeBytes());
      System.setProperty(PROPERTY, folder.toString());
      try {
        AllocatorOutOfMemoryException e =
            assertThrows(AllocatorOutOfMemoryException.class, () -> box.allocate(1));
        String message = String.valueOf(e.getMessage());
        String status = " [" + e.getStatus() + "]";
        assertTrue(e.getStatus().isFromDriver(), message);
        assertEquals(message.indexOf(status), message.lastIndexOf(status), message);
        assertTrue(message.contains("; no snapshot for -D" + PROPERTY + ": no snapshot"), message);
        assertTrue(message.endsWith("add org.vramkit:vramkit-export"), message);
      } finally {
        System.clearProperty(PROPERTY);
        box.device.getMemory().free(others);
      }
    }
  }
}
