package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.PinnedBuffer;

@DisplayName("A simulator that uses addresses of the process")
class HostAddressesTest {
  private static final long BASE = 0x7fff_0000_0000L;
  private static final int PAGE = 4096;

  /** Returns an address with the lowest bits of the real one, which Java reveals. */
  private static long addressOf(ByteBuffer direct) {
    return BASE + direct.alignmentOffset(0, PAGE);
  }

  @Test
  @DisplayName("gives page-locked and managed memory that of its bytes, at the start of a page")
  void addresses() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build()) {
      backend.useHostAddresses(HostAddressesTest::addressOf);
      SimDevice device = backend.getDevice(0);
      ByteBuffer own = ByteBuffer.allocateDirect(3 * PAGE);
      ByteBuffer odd = own.slice(PAGE - own.alignmentOffset(0, PAGE) + 16, 64);
      try (PinnedBuffer pinned = device.getPinnedMemory().allocate(64)) {
        assertEquals(BASE, pinned.getAddress());
      }
      try (PinnedBuffer managed = device.getManagedMemory().allocate(64L << 20)) {
        assertEquals(BASE, managed.getAddress());
        assertTrue(managed.getBytes(0, 64).isDirect());
      }
      try (PinnedBuffer registered = device.getPinnedMemory().register(odd)) {
        assertEquals(BASE + 16, registered.getAddress());
      }
      assertEquals(0, backend.getLeaks().size());
    }
  }

  @Test
  @DisplayName("copies by these addresses")
  void copies() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build()) {
      backend.useHostAddresses(HostAddressesTest::addressOf);
      SimDevice device = backend.getDevice(0);
      try (PinnedBuffer managed = device.getManagedMemory().allocate(PAGE)) {
        SimStream stream = device.getDefaultStream();
        ByteBuffer given = ByteBuffer.allocate(4).order(ByteOrder.nativeOrder()).putInt(0, 7);
        stream.copyToDevice(managed.getAddress() + 8, given);
        stream.synchronize();
        assertEquals(7, managed.getBytes(0, PAGE).getInt(8));
      }
      assertEquals(0, backend.getHazardCount());
    }
  }
}
