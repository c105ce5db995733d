package org.vramkit.pool.streamordered;

import java.time.Duration;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.support.Sizes;

/** Builds a {@link StreamOrderedPool}. Not thread-safe. */
public final class StreamOrderedPoolBuilder {

  /**
   * Ten seconds, as jemalloc's dirty_decay_ms: longer than a training step, shorter than a pause.
   */
  private static final Duration DEFAULT_DECAY = Duration.ofSeconds(10);

  private static final Duration LONGEST_DECAY = Duration.ofDays(10_000);

  private final Device device;
  private long releaseThreshold = Long.MAX_VALUE;
  private Duration decay = DEFAULT_DECAY;
  private LongSupplier clock = System::nanoTime;

  StreamOrderedPoolBuilder(Device device) {
    this.device = Objects.requireNonNull(device, "device");
  }

  /**
   * Sets the cached bytes above which a free returns memory to the driver. The default is no limit,
   * so that only decay returns memory; 0 caches only blocks that the device still uses.
   *
   * @param bytes 0 or more
   */
  public StreamOrderedPoolBuilder releaseThreshold(long bytes) {
    releaseThreshold = Sizes.requireNotNegative("releaseThreshold", bytes);
    return this;
  }

  /**
   * Sets the idle time after which a free returns a block to the driver; default 10 seconds.
   * Shorter times leave more memory to others, longer ones save allocations after a pause.
   *
   * @param time more than zero, at most 10,000 days
   */
  public StreamOrderedPoolBuilder decay(Duration time) {
    Objects.requireNonNull(time, "time");
    if (time.isNegative() || time.isZero() || time.compareTo(LONGEST_DECAY) > 0) {
      throw new InvalidArgumentException(
          "decay must be longer than zero and at most "
              + LONGEST_DECAY.toDays()
              + " days, found "
              + time);
    }
    decay = time;
    return this;
  }

  /** Sets the clock of the decay, in nanoseconds. */
  StreamOrderedPoolBuilder clock(LongSupplier nanos) {
    clock = nanos;
    return this;
  }

  /** Builds the pool, which the caller closes. */
  public StreamOrderedPool build() {
    return new StreamOrderedPool(device, releaseThreshold, decay.toNanos(), clock);
  }
}
