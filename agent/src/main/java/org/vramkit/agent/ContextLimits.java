package org.vramkit.agent;

import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.SimDevice;

/**
 * The limits of a context by their numbers in the driver. The simulator has no stacks and heaps, so
 * a limit is only a number; it is rounded and refused as by driver 580 on an H200. Thread-safe.
 */
final class ContextLimits {
  private static final int STACK_SIZE = 0;
  private static final int PRINTF_FIFO_SIZE = 1;
  private static final int MALLOC_HEAP_SIZE = 2;
  private static final int SYNC_DEPTH = 3;
  private static final int PENDING_LAUNCHES = 4;
  private static final int L2_FETCH_GRANULARITY = 5;
  private static final int PERSISTING_L2_SIZE = 6;
  private static final int SHARED_MEMORY_SIZE = 7;
  private static final int GRAPHICS_QUEUE = 8;
  private static final int COUNT = 9;

  private static final int STACK_UNIT = 16;
  private static final long MOST_STACK = 512 * ByteSize.KIB;
  private static final int MOST_FETCHED = 128;
  private static final int SHARED_PER_BLOCK_ATTRIBUTE = 97;
  private static final int PERSISTING_L2_ATTRIBUTE = 108;

  /** The persisting part of the cache is set in tenths of its most. */
  private static final int L2_PARTS = 10;

  private final SimDevice device;
  private final long[] values = new long[COUNT];

  /** The stack that the driver has; a smaller limit is not rounded. */
  private long stack;

  ContextLimits(SimDevice device) {
    this.device = device;
    reset();
  }

  synchronized void reset() {
    values[STACK_SIZE] = ByteSize.KIB;
    values[PRINTF_FIFO_SIZE] = 8_650_752;
    values[MALLOC_HEAP_SIZE] = 8 * ByteSize.MIB;
    values[PENDING_LAUNCHES] = 2 * ByteSize.KIB;
    values[L2_FETCH_GRANULARITY] = 64;
    values[PERSISTING_L2_SIZE] = 3 * persistingUnit();
    values[SHARED_MEMORY_SIZE] = DeviceFigures.attribute(device, SHARED_PER_BLOCK_ATTRIBUTE);
    values[GRAPHICS_QUEUE] = 0;
    stack = ByteSize.KIB;
  }

  private long persistingUnit() {
    return DeviceFigures.attribute(device, PERSISTING_L2_ATTRIBUTE) / L2_PARTS;
  }

  synchronized long get(int limit) {
    CudaError.require(limit >= 0 && limit <= COUNT, CudaError.INVALID_VALUE);
    boolean isSupported = limit != SYNC_DEPTH && limit != COUNT;
    CudaError.require(isSupported, CudaError.UNSUPPORTED_LIMIT);
    return values[limit];
  }

  synchronized void set(int limit, long value) {
    get(limit);
    values[limit] =
        switch (limit) {
          case STACK_SIZE -> stackOf(value);
          case PRINTF_FIFO_SIZE -> between(512 * ByteSize.KIB, value, 2 * ByteSize.GIB);
          case MALLOC_HEAP_SIZE -> between(4 * ByteSize.MIB, value, 17_681_179_680L);
          case PENDING_LAUNCHES -> between(32, value, 599_186);
          case L2_FETCH_GRANULARITY -> atMost(MOST_FETCHED, value);
          case PERSISTING_L2_SIZE -> {
            long unit = persistingUnit();
            // The unit is no power of two.
            long units = (atMost(unit * L2_PARTS, value) + unit - 1) / Math.max(1, unit);
            yield units * unit;
          }
          default -> throw new CudaError(CudaError.NOT_PERMITTED);
        };
  }

  private long stackOf(long value) {
    atMost(MOST_STACK, value);
    if (value == 0) {
      stack = 0;
    }
    if (value <= stack) {
      return value;
    }
    stack = ByteSize.roundUp(value, STACK_UNIT);
    return stack;
  }

  /** Limits a size as the driver does, which takes it as unsigned. */
  private static long between(long least, long value, long most) {
    return value < 0 ? most : Math.max(least, Math.min(value, most));
  }

  private static long atMost(long most, long value) {
    CudaError.require(value >= 0 && value <= most, CudaError.INVALID_VALUE);
    return value;
  }
}
