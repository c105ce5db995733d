package org.vramkit.pool.ending;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.pinned.PooledPinnedBuffer;

/** Page-locked buffers, with memory of the device to copy to for each stream. */
final class PinnedSubject implements Subject {
  private static final long UNIT = 4 * ByteSize.KIB;
  private static final long LIMIT = 8 * UNIT;

  private final Device device;
  private final PinnedPool pool;
  private final Map<Stream, Long> targets = new ConcurrentHashMap<>();

  PinnedSubject(Device device) {
    this.device = device;
    this.pool = PinnedPool.builder(device).byteLimit(LIMIT).build();
  }

  @Override
  public long unit() {
    return UNIT;
  }

  @Override
  public Held take(long bytes, Stream stream) {
    PooledPinnedBuffer made = pool.acquire(bytes);
    return new Held() {
      @Override
      public long size() {
        return bytes;
      }

      @Override
      public void work(Stream worker) {
        long target = targets.computeIfAbsent(worker, unused -> device.getMemory().allocate(LIMIT));
        Work.on(worker, target, bytes);
        made.copyToDevice(target, worker);
      }

      @Override
      public void recordUse(Stream user) {
        made.recordUse(user);
      }

      @Override
      public void close() {
        made.close();
      }
    };
  }

  @Override
  public void trim() {
    pool.trim(0);
  }

  @Override
  public void close() {
    pool.close();
  }

  @Override
  public void closeBeneath() {
    if (!targets.isEmpty()) {
      try {
        finish();
        for (Stream each : List.copyOf(targets.keySet())) {
          device.getMemory().free(requireNonNull(targets.get(each)));
          targets.remove(each);
        }
      } catch (FatalDeviceException lost) {
        // The memory went with the device.
        assertEquals(0, pool.getLockedBytes(), "locked");
      }
      targets.clear();
    }
  }

  private void finish() {
    try {
      device.synchronize();
    } catch (ClosedException ended) {
      // The work has ended with the backend.
    }
  }

  @Override
  public void assertBooks(long heldBytes) {
    assertTrue(pool.getLockedBytes() >= heldBytes, "locked: " + pool.getLockedBytes());
    assertTrue(pool.getLockedBytes() <= LIMIT, "the limit");
  }

  @Override
  public void assertEnded() {
    assertEmpty();
  }

  @Override
  public void assertEmpty() {
    assertEquals(0, pool.getLockedBytes(), "locked");
  }
}
