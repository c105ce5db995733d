package org.vramkit.ffm;

import static org.vramkit.ffm.Pointers.get;
import static org.vramkit.ffm.Pointers.getInt;
import static org.vramkit.ffm.Pointers.told;

import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.Handle;

/** The driver's pools, allocation in stream order. */
@SuppressWarnings("UnusedMethod") // called by native code
final class PlayedPools {
  private final CudaDriver driver;
  private final PlayedHandles streams;
  private final PlayedHandles pools = new PlayedHandles();

  PlayedPools(CudaDriver driver, PlayedHandles streams) {
    this.driver = driver;
    this.streams = streams;
  }

  @Since(11020)
  int cuMemAllocAsync(long dptr, long size, long stream) {
    long[] made = new long[1];
    int result = driver.pools().cuMemAllocAsync(made, size, streams.known(stream));
    return told(result, made[0], dptr);
  }

  @Since(11020)
  int cuMemFreeAsync(long dptr, long stream) {
    return driver.pools().cuMemFreeAsync(dptr, streams.known(stream));
  }

  /** Reads 88 bytes: type, handle types, location, security attributes, maximum, reserved. */
  @Since(11020)
  int cuMemPoolCreate(long pool, long properties) {
    if (getInt(properties) != 1
        || getInt(properties + 4) != 0
        || getInt(properties + 8) != 1
        || get(properties + 16) != 0) {
      return CudaResult.INVALID_VALUE;
    }
    for (int reserved = 32; reserved < 88; reserved += 8) {
      if (get(properties + reserved) != 0) {
        return CudaResult.INVALID_VALUE;
      }
    }
    Handle[] made = new Handle[1];
    int result =
        driver.pools().cuMemPoolCreate(made, getInt(properties + 12), get(properties + 24));
    return pools.told(result, made, pool);
  }

  @Since(11020)
  int cuMemPoolDestroy(long pool) {
    return driver.pools().cuMemPoolDestroy(pools.known(pool));
  }

  @Since(11020)
  int cuMemAllocFromPoolAsync(long dptr, long size, long pool, long stream) {
    long[] made = new long[1];
    int result =
        driver
            .pools()
            .cuMemAllocFromPoolAsync(made, size, pools.known(pool), streams.known(stream));
    return told(result, made[0], dptr);
  }

  @Since(11020)
  int cuMemPoolSetAccess(long pool, long map, long count) {
    if (count != 1 || getInt(map) != 1) {
      return CudaResult.INVALID_VALUE;
    }
    return driver
        .pools()
        .cuMemPoolSetAccess(pools.known(pool), getInt(map + 4), getInt(map + 8) == 3);
  }

  @Since(11020)
  int cuMemPoolTrimTo(long pool, long keep) {
    return driver.pools().cuMemPoolTrimTo(pools.known(pool), keep);
  }

  /** Sets an attribute; reuse policies are ints. */
  @Since(11020)
  int cuMemPoolSetAttribute(long pool, int attribute, long value) {
    return driver
        .poolAttributes()
        .cuMemPoolSetAttribute(
            pools.known(pool), attribute, attribute <= 3 ? getInt(value) : get(value));
  }

  @Since(11020)
  int cuMemPoolGetAttribute(long pool, int attribute, long value) {
    long[] found = new long[1];
    int result = driver.poolAttributes().cuMemPoolGetAttribute(pools.known(pool), attribute, found);
    return told(result, found[0], value);
  }
}
