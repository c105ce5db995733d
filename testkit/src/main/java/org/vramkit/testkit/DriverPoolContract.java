package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.DriverPools;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.api.units.ByteSize;

/** Tests the driver's pools. */
interface DriverPoolContract extends KitContext {

  @Test
  @DisplayName("S3.8 memory of a pool can be used by work; sizes of 0 or less are refused")
  default void poolRoundTrip() {
    try (DriverPool pool = getDriverPools().create(0);
        Stream stream = getDevice().createStream()) {
      assertSameDevice(pool.getDevice(), "a pool");
      long address = pool.allocate(ByteSize.MIB, stream);
      stream.fill(address, (byte) 3, ByteSize.MIB);
      DeviceBytes.assertFilled(stream, address, ByteSize.MIB, (byte) 3, "pool memory");
      pool.free(address, stream);
      assertThrows(InvalidArgumentException.class, () -> pool.allocate(0, stream));
      assertThrows(InvalidArgumentException.class, () -> pool.allocate(-1, stream));
      stream.synchronize();
    }
  }

  @Test
  @DisplayName("S3.7 a pool's maximum is enforced and must not be negative")
  default void poolMaximum() {
    DriverPools pools = getDriverPools();
    assertThrows(InvalidArgumentException.class, () -> pools.create(-1));
    try (DriverPool pool = createLimited(pools, 64 * ByteSize.MIB);
        Stream stream = getDevice().createStream()) {
      assertThrows(DeviceOutOfMemoryException.class, () -> pool.allocate(ByteSize.GIB, stream));
      long address = pool.allocate(ByteSize.MIB, stream);
      pool.free(address, stream);
      stream.synchronize();
    }
  }

  /** Creates a limited pool; skips the test if pools support no maximum. */
  private static DriverPool createLimited(DriverPools pools, long maximumBytes) {
    try {
      return pools.create(maximumBytes);
    } catch (NotSupportedException e) {
      return abort("this device's pools have no maximum: " + e);
    }
  }

  @Test
  @DisplayName("S3.8 a closed pool cannot be used, and closing it twice is harmless")
  default void closedPool() {
    DriverPool pool = getDriverPools().create(0);
    pool.close();
    pool.close();
    try (Stream stream = getDevice().createStream()) {
      assertThrows(ClosedException.class, () -> pool.allocate(256, stream));
      assertThrows(ClosedException.class, () -> pool.trim(0));
    }
  }

  @Test
  @DisplayName("a pool with attributes counts, keeps up to its threshold, and trims")
  default void poolAttributes() {
    assumeSupported(Capability.DRIVER_POOL_ATTRIBUTES);
    try (DriverPool pool = getDriverPools().create(0);
        Stream stream = getDevice().createStream()) {
      pool.setReleaseThreshold(Long.MAX_VALUE);
      for (DriverPoolReuse reuse : DriverPoolReuse.values()) {
        pool.setReuse(reuse, false);
        pool.setReuse(reuse, true);
      }
      long address = pool.allocate(16 * ByteSize.MIB, stream);
      assertTrue(pool.getStatistics().usedBytes() >= 16 * ByteSize.MIB);
      pool.free(address, stream);
      stream.synchronize();
      assertAll(
          () -> assertEquals(0, pool.getStatistics().usedBytes()),
          () -> assertTrue(pool.getStatistics().usedPeakBytes() >= 16 * ByteSize.MIB),
          () -> assertTrue(pool.getStatistics().reservedBytes() >= 16 * ByteSize.MIB, "kept"));
      pool.trim(0);
      assertEquals(0, pool.getStatistics().reservedBytes(), "after trim");
      assertTrue(pool.getStatistics().reservedPeakBytes() >= 16 * ByteSize.MIB);
      assertThrows(InvalidArgumentException.class, () -> pool.setReleaseThreshold(-1));
      assertThrows(InvalidArgumentException.class, () -> pool.trim(-1));
    }
  }

  @Test
  @DisplayName("a pool without attributes throws NotSupportedException for them")
  default void poolWithoutAttributes() {
    assumeFalse(
        getDevice().supports(Capability.DRIVER_POOL_ATTRIBUTES), "this device has attributes");
    try (DriverPool pool = getDriverPools().create(0)) {
      assertThrows(NotSupportedException.class, () -> pool.setReleaseThreshold(0));
      assertThrows(NotSupportedException.class, pool::getStatistics);
    }
  }

  private DriverPools getDriverPools() {
    assumeSupported(Capability.DRIVER_POOLS);
    return getDevice().getDriverPools();
  }
}
