package org.vramkit.sim;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.SPARSE;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.hazard.HazardCode.FREE_IN_FLIGHT;
import static org.vramkit.sim.hazard.HazardCode.HOST_RACE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.PinnedMemory;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.hazard.LeakKind;

@DisplayName("17.26 host memory of the user's own, page-locked")
class RegisteredMemoryTest {
  private static final int BYTES = 256;

  private final ByteBuffer own = ByteBuffer.allocateDirect(3 * BYTES);

  @Test
  @DisplayName("17.26 a close while a copy is pending is a hazard; waited for, it is none")
  void closedUnderCopy() {
    try (Scene scene = new Scene()) {
      PinnedBuffer buffer = scene.device.getPinnedMemory().register(own);
      scene.s1.copyToDevice(scene.block, buffer, 0, BYTES);
      scene.s1.synchronize();
      buffer.close();
      scene.expect();
      PinnedBuffer again = scene.device.getPinnedMemory().register(own);
      scene.s1.copyToDevice(scene.block, again, 0, BYTES);
      again.close();
      scene.expect(FREE_IN_FLIGHT);
    }
  }

  @Test
  @DisplayName("17.26 the user's own buffer written under a pending copy is a race of the host")
  void writtenUnderCopy() {
    try (Scene scene = new Scene();
        PinnedBuffer buffer = scene.device.getPinnedMemory().register(own.slice(BYTES, BYTES))) {
      scene.s1.copyToDevice(scene.block, buffer, 0, BYTES);
      own.put(BYTES + 17, (byte) 1);
      scene.s1.synchronize();
      assertEquals(buffer.getAddress() + 17, scene.expect(HOST_RACE).get(0).address());
    }
  }

  @Test
  @DisplayName("17.26 memory that stays registered is a leak of its bytes, named as the calls are")
  void leaks() {
    SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
    PinnedBuffer buffer = backend.getDevice(0).getPinnedMemory().register(own);
    assertEquals(1, backend.getLeaks().size());
    assertEquals(LeakKind.PINNED_BUFFER, backend.getLeaks().get(0).kind());
    assertEquals(3 * BYTES, backend.getLeaks().get(0).bytes());
    buffer.close();
    assertEquals(List.of(), backend.getLeaks());
    assertEquals(1, backend.getDriverCalls().getCount("cuMemHostRegister"));
    assertEquals(1, backend.getDriverCalls().getCount("cuMemHostUnregister"));
    assertEquals(0, backend.getDriverCalls().getCount("cuMemFreeHost"));
    backend.close();
  }

  @Test
  @DisplayName("17.26 neighbours are locked each for itself, a shared byte is refused")
  void overlaps() {
    try (Scene scene = new Scene()) {
      PinnedMemory memory = scene.device.getPinnedMemory();
      List<PinnedBuffer> locked = new ArrayList<>();
      locked.add(memory.register(own.slice(BYTES, BYTES)));
      for (ByteBuffer shared :
          List.of(
              own.slice(0, BYTES + 1),
              own.slice(2 * BYTES - 1, BYTES + 1),
              own.slice(BYTES + 1, 1),
              own)) {
        ByteBuffer before = ByteBuffer.allocate(3 * BYTES).put(own.duplicate()).flip();
        InvalidArgumentException e =
            assertThrows(InvalidArgumentException.class, () -> memory.register(shared));
        assertEquals(712, e.getStatus().code());
        assertEquals(before, own, "left as it was");
      }
      locked.add(memory.register(own.slice(0, BYTES)));
      locked.add(scene.other.getPinnedMemory().register(own.slice(2 * BYTES, BYTES)));
      PinnedBuffer allocated = memory.allocate(BYTES);
      locked.add(allocated);
      ByteBuffer view = allocated.getBytes(0, BYTES);
      assertThrows(InvalidArgumentException.class, () -> memory.register(view));
      locked.forEach(PinnedBuffer::close);
      memory.register(own).close();
      scene.expect();
    }
  }

  @Test
  @DisplayName("17.26 memory as far apart as buffers' low bits repeat is not taken for the same")
  void farApart(@TempDir Path folder) throws IOException {
    try (Scene scene = new Scene();
        FileChannel file =
            FileChannel.open(folder.resolve("sparse"), CREATE_NEW, READ, WRITE, SPARSE)) {
      PinnedMemory memory = scene.device.getPinnedMemory();
      // Of a file, as pages that nobody touches cost nothing there.
      ByteBuffer huge = file.map(MapMode.READ_WRITE, 0, (1 << 30) + 4096);
      PinnedBuffer low = memory.register(huge.slice(0, 4096));
      PinnedBuffer high = memory.register(huge.slice(1 << 30, 4096));
      assertThrows(InvalidArgumentException.class, () -> memory.register(huge));
      assertTrue(low.getAddress() != high.getAddress());
      low.close();
      high.close();
      scene.expect();
    }
  }
}
