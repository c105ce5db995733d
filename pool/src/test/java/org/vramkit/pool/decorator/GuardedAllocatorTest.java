package org.vramkit.pool.decorator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.TagScope;
import org.vramkit.api.allocator.Tags;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.driver.Fault;

@DisplayName("Red zones tell who writes beyond the ends of his memory, by tag and line")
class GuardedAllocatorTest {
  private static final long BYTES = 1000;

  private final SimBackend backend = SimBackend.builder().build();
  private final SimDevice device = backend.getDevice(0);
  private final CachingAllocator caching = CachingAllocator.create(device);
  private final GuardedAllocator allocator = GuardedAllocator.over(caching, 256);
  private final Stream stream = device.createStream();

  @AfterEach
  void nothingLeft() {
    stream.close();
    allocator.close();
    caching.close();
    backend.close();
    assertEquals(List.of(), backend.getHazards());
    assertEquals(List.of(), backend.getLeaks());
  }

  private static void assertTells(Allocation broken, String... parts) {
    GuardViolationException error = assertThrows(GuardViolationException.class, broken::close);
    for (String part : parts) {
      assertTrue(error.toString().contains(part), () -> part + " in " + error);
    }
    assertTrue(broken.isClosed());
    broken.close();
  }

  @Test
  @DisplayName(
      "23.10 a write behind the end, from the first byte on, is reported at the" + " close")
  void behind() {
    Allocation one;
    try (TagScope scope = Tags.open("weights")) {
      assertEquals("weights", scope.getTag());
      one = allocator.allocate(BYTES, stream);
    }
    stream.fill(one.getAddress(), (byte) 0x3f, BYTES + 1);
    assertTells(
        one,
        "1 byte after the end of the memory overwritten, the nearest 1 byte away: found 3f fd",
        "for 'weights', allocated at org.vramkit.pool.decorator.GuardedAllocatorTest.behind("
            + "GuardedAllocatorTest.java:",
        "; the memory is 1000 B at 0x");
    Allocation far = allocator.allocate(BYTES, stream);
    stream.fill(far.getAddress() + BYTES + 255, (byte) 0, 1);
    assertTells(far, "the nearest 256 bytes away");
  }

  @Test
  @DisplayName("23.10 so is one before the begin, and both at once")
  void before() {
    Allocation one = allocator.allocate(BYTES, stream);
    stream.fill(one.getAddress() - 4, (byte) 1, 4);
    assertTells(one, "4 bytes before the start of the memory overwritten, the nearest 1 byte away");
    Allocation both = allocator.allocate(BYTES, stream);
    stream.fill(both.getAddress() - 256, (byte) 1, BYTES + 512);
    assertTells(both, "256 bytes before the start", "; 256 bytes after the end");
  }

  @Test
  @DisplayName("23.10 another stream's write is waited for, once it is recorded")
  void otherStream() {
    try (Stream other = device.createStream()) {
      Allocation one = allocator.allocate(BYTES, stream);
      stream.synchronize();
      other.fill(one.getAddress() + BYTES, (byte) 1, 16);
      one.recordUse(other);
      assertTells(one, "16 bytes after the end");
    }
  }

  @Test
  @DisplayName(
      "42.22 a write is found also when the memory's stream, or a user's, is closed by then")
  void closedStream() {
    Stream brief = device.createStream();
    Stream user = device.createStream();
    Allocation one = allocator.allocate(BYTES, brief);
    brief.fill(one.getAddress() + BYTES, (byte) 1, 2);
    brief.close();
    assertTells(one, "2 bytes after the end");
    Allocation other = allocator.allocate(BYTES, stream);
    stream.synchronize();
    user.fill(other.getAddress() - 3, (byte) 1, 3);
    other.recordUse(user);
    user.close();
    assertTells(other, "3 bytes before the start");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 255, 256, 4096, 1 << 20})
  @DisplayName(
      "23.10 writes inside give no report; new memory has a pattern, and"
          + " addresses are aligned")
  void inside(long bytes) {
    try (Allocation one = allocator.allocate(bytes, stream)) {
      assertEquals(bytes, one.getSize());
      assertEquals(0, one.getAddress() % 256);
      ByteBuffer found = ByteBuffer.allocate((int) bytes);
      stream.copyToHost(found, one.getAddress());
      byte[] spoilt = new byte[(int) bytes];
      Arrays.fill(spoilt, (byte) 0xCD);
      assertEquals(ByteBuffer.wrap(spoilt), found.rewind());
      stream.fill(one.getAddress(), (byte) 1, bytes);
    }
    allocator.allocate(0, stream).close();
  }

  @Test
  @DisplayName("23.10 closed memory has a pattern before it is reused")
  void closed() {
    Allocation one = allocator.allocate(BYTES, stream);
    long address = one.getAddress();
    stream.fill(address, (byte) 1, BYTES);
    one.close();
    Allocation next = caching.allocate(BYTES + 512, stream);
    assertEquals(address - 256, next.getAddress(), "the same memory");
    byte[] found = new byte[(int) BYTES];
    stream.copyToHost(ByteBuffer.wrap(found), address);
    assertEquals((byte) 0xDD, found[0]);
    next.close();
    assertEquals(1, backend.getHazards().size(), "the read of what the next owner has not written");
    backend.clearHazards();
  }

  @Test
  @DisplayName("23.10 on a lost device a close is as harmless as without a guard")
  void lostDevice() {
    SimBackend failing = SimBackend.builder().build();
    CachingAllocator beneath = CachingAllocator.create(failing.getDevice(0));
    GuardedAllocator guarded = GuardedAllocator.over(beneath, 256);
    Allocation one = guarded.allocate(BYTES);
    failing.getFaults().failNext("cuMemcpyDtoHAsync", Fault.FATAL);
    one.close();
    assertTrue(one.isClosed());
    guarded.close();
    assertThrows(FatalDeviceException.class, beneath::close);
    failing.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -256, 100, (1 << 20) + 256})
  @DisplayName("23.10 a width that would spoil alignment, or is none, is refused")
  void widths(int width) {
    assertThrows(InvalidArgumentException.class, () -> GuardedAllocator.over(caching, width));
  }

  @Test
  @DisplayName("23.10 a close during a capture of its stream looks at nothing and spoils nothing")
  void closedDuringCapture() {
    Allocation one = allocator.allocate(BYTES, stream);
    Allocation two = allocator.allocate(BYTES);
    two.recordUse(stream);
    stream.synchronize();
    device.getGraphs().beginCapture(stream);
    one.close();
    two.close();
    device.getGraphs().endCapture(stream).close();
  }
}
