package org.vramkit.pool.streamordered;

import java.time.Duration;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.InvalidArgumentException;

/** Options of a {@link StreamOrderedPool}. */
public final class StreamOrderedPoolBuilder {

  /**
   * Ten seconds, as jemalloc's dirty pages: longer than any training step, shorter than a pause.
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
   * Cached memory above this goes back to the driver when something is freed. The default is no
   * limit, so that only the decay releases; 0 caches nothing that the device is done with.
   *
   * @param bytes 0 or more
   */
  public StreamOrderedPoolBuilder releaseThreshold(long bytes) {
    releaseThreshold = StreamOrderedPool.checkThreshold(bytes);
    return this;
  }

  /**
   * A block that was not reused for so long goes back to the driver when something is freed. The
   * default is 10 seconds. Shorter leaves more to others, longer saves allocations after a pause.
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

  /** Where the decay reads the time, in nanoseconds. */
  StreamOrderedPoolBuilder clock(LongSupplier nanos) {
    clock = nanos;
    return this;
  }

  /** The pool, for the caller to close. */
  public StreamOrderedPool build() {
    return new StreamOrderedPool(device, releaseThreshold, decay.toNanos(), clock);
  }
}
