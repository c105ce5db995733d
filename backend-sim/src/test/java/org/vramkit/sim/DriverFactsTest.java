package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.schedule.Schedule;

@DisplayName("57.1 What driver 580 answered on H200, and no probe of the recording asks:")
class DriverFactsTest {
  private static final long MIB = 1 << 20;
  private static final long WORK_NANOS = 20_000_000;

  private final SimBackend backend =
      SimBackend.builder()
          .device(DeviceProfile.H200)
          .device(DeviceProfile.H200)
          .schedule(Schedule.timed())
          .reuseAddresses(true)
          .checker(CheckerOptions.OFF)
          .build();
  private final SimDevice device = backend.getDevice(0);
  private final SimDevice second = backend.getDevice(1);
  private final SimStream stream = device.createStream();
  private final SimStream other = device.createStream();

  @AfterEach
  void nothingLeft() {
    device.synchronize();
    stream.close();
    other.close();
    assertTrue(backend.getLeaks().isEmpty(), () -> backend.getLeaks().toString());
    backend.close();
  }

  private void busy(Stream on) {
    SimKernel work = SimKernel.named("busy").taking(WORK_NANOS).build();
    ((SimStream) on).launch(work);
  }

  private boolean waits(Runnable call) {
    long before = backend.getTimeNanos();
    call.run();
    return backend.getTimeNanos() - before > WORK_NANOS / 2;
  }

  private static long reserved(DriverPool pool) {
    return pool.getStatistics().reservedBytes() / MIB;
  }

  // ---- pools ----

  /** Frees most of the memory behind work, and asks for as much on another stream. */
  private void emergency(Set<DriverPoolReuse> policies, boolean served) {
    long most = device.getMemoryInfo().totalBytes() / 10 * 6;
    try (DriverPool pool = device.getDriverPools().create(0)) {
      for (DriverPoolReuse each : DriverPoolReuse.values()) {
        pool.setReuse(each, policies.contains(each));
      }
      long first = pool.allocate(most, stream);
      busy(stream);
      pool.free(first, stream);
      if (served) {
        long[] next = {0};
        assertTrue(waits(() -> next[0] = pool.allocate(most, other)), "it grows in vain before");
        assertEquals(first, next[0]);
        pool.free(next[0], other);
      } else {
        assertThrows(DeviceOutOfMemoryException.class, () -> pool.allocate(most, other));
      }
      device.synchronize();
    }
  }

  @Test
  @DisplayName("an allocation takes what is freed behind work, if its stream may wait for that")
  void emergencies() {
    emergency(Set.of(DriverPoolReuse.values()), true);
    emergency(
        Set.of(DriverPoolReuse.OPPORTUNISTIC, DriverPoolReuse.FOLLOW_EVENT_DEPENDENCIES), false);
    emergency(Set.of(), false);
  }

  @Test
  @DisplayName("a plain allocation does not wait for a pending free of the default pool")
  void plainEmergency() {
    long most = device.getMemoryInfo().totalBytes() / 10 * 6;
    long first = device.getStreamOrderedMemory().allocate(most, stream);
    busy(stream);
    device.getStreamOrderedMemory().free(first, stream);
    assertFalse(
        waits(
            () ->
                assertThrows(
                    DeviceOutOfMemoryException.class, () -> device.getMemory().allocate(most))));
  }

  @Test
  @DisplayName("a pool grows by 32 MiB for each 32 blocks of 1 MiB, and is trimmed in such steps")
  void steps() {
    try (DriverPool pool = device.getDriverPools().create(0)) {
      pool.setReleaseThreshold(Long.MAX_VALUE);
      long[] at = new long[40];
      for (int i = 0; i < at.length; i++) {
        at[i] = pool.allocate(MIB, stream);
        assertEquals(i < 32 ? 32 : 64, reserved(pool), "block " + i);
      }
      for (long each : at) {
        pool.free(each, stream);
      }
      stream.synchronize();
      pool.trim(33 * MIB);
      assertEquals(64, reserved(pool));
      pool.trim(1);
      assertEquals(32, reserved(pool));
      pool.trim(0);
      assertEquals(0, reserved(pool));
    }
  }

  @Test
  @DisplayName("neighbours that were freed are one block for the next")
  void neighbours() {
    try (DriverPool pool = device.getDriverPools().create(0)) {
      pool.setReleaseThreshold(Long.MAX_VALUE);
      long[] at = {0, 0, 0};
      for (int i = 0; i < at.length; i++) {
        at[i] = pool.allocate(64 * MIB, stream);
      }
      pool.free(at[1], stream);
      pool.free(at[0], stream);
      long one = pool.allocate(MIB, stream);
      long rest = pool.allocate(63 * MIB, stream);
      long next = pool.allocate(64 * MIB, stream);
      assertEquals(0, one - at[0]);
      assertEquals(MIB, rest - at[0]);
      assertEquals(64 * MIB, next - at[0]);
      assertEquals(192, reserved(pool));
      for (long each : new long[] {one, rest, next, at[2]}) {
        pool.free(each, stream);
      }
      pool.free(pool.allocate(128 * MIB, stream), stream);
      assertEquals(192, reserved(pool));
      stream.synchronize();
    }
  }

  @Test
  @DisplayName("the stream that freed a block gets it, also one that the default stream orders")
  void freeingStream() {
    try (DriverPool pool = device.getDriverPools().create(0);
        Stream blocking = device.createStream(StreamKind.BLOCKING)) {
      pool.setReleaseThreshold(Long.MAX_VALUE);
      long first = pool.allocate(64 * MIB, stream);
      pool.free(first, other);
      assertEquals(first, pool.allocate(64 * MIB, other));
      pool.free(first, other);
      device.synchronize();
      Stream legacy = device.getDefaultStream();
      long ordered = pool.allocate(64 * MIB, legacy);
      busy(legacy);
      pool.free(ordered, legacy);
      assertEquals(ordered, pool.allocate(64 * MIB, blocking));
      pool.free(ordered, blocking);
      device.synchronize();
    }
  }

  // ---- addresses ----

  @Test
  @DisplayName("plain blocks of 64 MiB descend, and the next takes the highest hole that fits")
  void plainAddresses() {
    long[] at = {0, 0, 0};
    for (int i = 0; i < at.length; i++) {
      at[i] = device.getMemory().allocate(64 * MIB);
    }
    assertEquals(-64 * MIB, at[1] - at[0]);
    assertEquals(-64 * MIB, at[2] - at[1]);
    device.getMemory().free(at[1]);
    device.getMemory().free(at[0]);
    long next = device.getMemory().allocate(64 * MIB);
    assertEquals(at[0], next);
    device.getMemory().free(next);
    device.getMemory().free(at[2]);
  }

  @Test
  @DisplayName("reservations ascend, and the next takes the lowest hole that fits")
  void reservations() {
    VirtualMemory memory = device.getVirtualMemory();
    long[] at = new long[6];
    for (int i = 0; i < at.length; i++) {
      at[i] = memory.reserve(64 * MIB);
      assertEquals(64 * MIB * i, at[i] - at[0]);
    }
    memory.unreserve(at[2], 64 * MIB);
    memory.unreserve(at[4], 64 * MIB);
    long half = memory.reserve(32 * MIB);
    assertEquals(at[2], half);
    long whole = memory.reserve(64 * MIB);
    assertEquals(at[4], whole);
    memory.unreserve(half, 32 * MIB);
    memory.unreserve(whole, 64 * MIB);
    for (int i : new int[] {0, 1, 3, 5}) {
      memory.unreserve(at[i], 64 * MIB);
    }
  }

  // ---- two devices ----

  @Test
  @DisplayName("a copy from the host to the other device's memory waits for one's default stream")
  void hostCopyOnDefault() {
    long memory = second.getMemory().allocate(MIB);
    busy(device.getDefaultStream());
    assertTrue(
        waits(
            () -> device.getDefaultStream().copyToDevice(memory, ByteBuffer.allocateDirect(4096))));
    second.getMemory().free(memory);
  }
}
