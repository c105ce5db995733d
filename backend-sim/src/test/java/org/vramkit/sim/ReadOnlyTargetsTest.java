package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.InvalidArgumentException;

@DisplayName("A buffer that cannot be written is refused as the target of a copy")
class ReadOnlyTargetsTest {
  @Test
  @DisplayName("17.26 before anything is submitted, and without a trace in what the checker knows")
  void refused() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
        SimStream stream = backend.getDevice(0).createStream()) {
      long address = backend.getDevice(0).getMemory().allocate(512);
      for (ByteBuffer each :
          new ByteBuffer[] {ByteBuffer.allocateDirect(16), ByteBuffer.allocate(16)}) {
        ByteBuffer target = each.asReadOnlyBuffer();
        assertThrows(InvalidArgumentException.class, () -> stream.copyToHost(target, address));
      }
      backend.getDevice(0).getMemory().free(address);
    }
  }
}
