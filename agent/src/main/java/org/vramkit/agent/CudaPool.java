package org.vramkit.agent;

import java.util.List;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.DriverPoolStatistics;

/** A memory pool, whose attributes have the numbers of the driver. */
final class CudaPool {
  private static final int RELEASE_THRESHOLD = 4;
  private static final int RESERVED = 5;
  private static final int RESERVED_HIGH = 6;
  private static final int USED = 7;
  private static final int USED_HIGH = 8;

  /** The choices of reuse, by their numbers from 1 on. */
  private static final List<DriverPoolReuse> CHOICES =
      List.of(
          DriverPoolReuse.FOLLOW_EVENT_DEPENDENCIES,
          DriverPoolReuse.OPPORTUNISTIC,
          DriverPoolReuse.INTERNAL_DEPENDENCIES);

  final DriverPool pool;
  final long handle;
  private final boolean[] reuse = {true, true, true};
  private long threshold;

  CudaPool(CudaProcess process, DriverPool pool) {
    this.pool = pool;
    this.handle = process.newHandle();
    process.add(handle, this);
  }

  static CudaPool of(long handle) {
    return CudaProcess.get().get(handle, CudaPool.class, CudaError.INVALID_VALUE);
  }

  /** Returns whether an attribute is a choice, which has 4 bytes; the others have 8. */
  static boolean isChoice(int attribute) {
    return attribute >= 1 && attribute < RELEASE_THRESHOLD;
  }

  synchronized void setChoice(int attribute, boolean enabled) {
    pool.setReuse(CHOICES.get(attribute - 1), enabled);
    reuse[attribute - 1] = enabled;
  }

  synchronized void setAttribute(int attribute, long value) {
    if ((attribute == RESERVED_HIGH || attribute == USED_HIGH) && value == 0) {
      throw new UnsupportedOperationException("peaks of pools cannot be reset in the simulator");
    }
    CudaError.require(attribute == RELEASE_THRESHOLD, CudaError.INVALID_VALUE);
    // The driver takes the threshold as unsigned.
    pool.setReleaseThreshold(value < 0 ? Long.MAX_VALUE : value);
    threshold = value;
  }

  synchronized long getAttribute(int attribute) {
    if (isChoice(attribute)) {
      return reuse[attribute - 1] ? 1 : 0;
    }
    DriverPoolStatistics known = pool.getStatistics();
    return switch (attribute) {
      case RELEASE_THRESHOLD -> threshold;
      case RESERVED -> known.reservedBytes();
      case RESERVED_HIGH -> known.reservedPeakBytes();
      case USED -> known.usedBytes();
      case USED_HIGH -> known.usedPeakBytes();
      default -> throw new CudaError(CudaError.INVALID_VALUE);
    };
  }
}
