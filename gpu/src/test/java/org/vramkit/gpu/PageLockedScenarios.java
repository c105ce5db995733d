package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.pinned.PooledPinnedBuffer;

/** Scenarios of page-locked host memory, from the pool and from the user. */
interface PageLockedScenarios {

  Device getDevice();

  private static byte[] filled(byte value) {
    byte[] bytes = new byte[Slots.BYTES];
    Arrays.fill(bytes, value);
    return bytes;
  }

  @Test
  @DisplayName("17.26 a host buffer closed during a copy is reused only after the copy")
  default void uploads() {
    try (Slots slots = new Slots(getDevice());
        PinnedPool pool = PinnedPool.create(getDevice());
        BusyStreams streams = new BusyStreams(getDevice(), 3)) {
      for (int i = 0; i < Slots.COUNT; i++) {
        try (PooledPinnedBuffer buffer = pool.acquire(Slots.BYTES)) {
          buffer.getBytes().put(filled(Slots.value(i)));
          buffer.copyToDevice(slots.getAddress(i), streams.next());
        }
        if (i % 20 == 19) {
          // Wait occasionally, so that there are buffers to reuse.
          getDevice().synchronize();
        }
      }
      slots.assertFilled();
      assertTrue(pool.getHits() > 0, "no buffer is used again");
    }
  }

  @Test
  @DisplayName("17.26 host buffers hold what was copied to them once their stream has passed it")
  default void downloads() {
    try (Slots slots = new Slots(getDevice());
        PinnedPool pool = PinnedPool.create(getDevice());
        BusyStreams streams = new BusyStreams(getDevice(), 3)) {
      List<PooledPinnedBuffer> buffers = new ArrayList<>();
      for (int i = 0; i < Slots.COUNT; i++) {
        var stream = streams.next();
        stream.fill(slots.getAddress(i), Slots.value(i), Slots.BYTES);
        buffers.add(pool.acquire(Slots.BYTES));
        buffers.get(i).copyToHost(slots.getAddress(i), stream);
      }
      getDevice().synchronize();
      for (int i = 0; i < Slots.COUNT; i++) {
        byte[] found = new byte[Slots.BYTES];
        buffers.get(i).getBytes().get(found);
        assertArrayEquals(filled(Slots.value(i)), found, "buffer " + i);
        buffers.get(i).close();
      }
    }
  }

  @Test
  @DisplayName("17.26 memory of the user's own is copied by busy streams, each to its place")
  default void ownMemory() {
    // Padded, because the driver locks whole pages.
    ByteBuffer own =
        ByteBuffer.allocateDirect(Slots.COUNT * Slots.BYTES + (1 << 17)).alignedSlice(1 << 16);
    for (int i = 0; i < Slots.COUNT; i++) {
      own.put(i * Slots.BYTES, filled(Slots.value(i)));
    }
    try (Slots slots = new Slots(getDevice());
        PinnedBuffer locked = getDevice().getPinnedMemory().register(own);
        BusyStreams streams = new BusyStreams(getDevice(), 3)) {
      for (int i = 0; i < Slots.COUNT; i++) {
        streams
            .next()
            .copyToDevice(slots.getAddress(i), locked, (long) i * Slots.BYTES, Slots.BYTES);
      }
      slots.assertFilled();
    }
  }
}
