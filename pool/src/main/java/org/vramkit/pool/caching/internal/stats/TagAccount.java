package org.vramkit.pool.caching.internal.stats;

import org.vramkit.api.allocator.TagUsage;
import org.vramkit.pool.support.Gauge;

/**
 * Counts the allocations and frees of a thread cache under one tag. Guarded by the cache's lock.
 *
 * <p>The gauge of the tag is shared by all caches and contains the claim of this account: at least
 * the live bytes, and at most {@code 2 * CHUNK_BYTES} more. The peak of a tag is therefore never
 * too low, and too high by at most 8 MiB for each cache.
 */
public final class TagAccount {
  /**
   * Step of claims. While the live bytes vary by less than two steps, the gauge is not accessed.
   */
  static final long CHUNK_BYTES = 4L << 20;

  /** Counts nothing. Marks a block without a tag whose close needs the slow path. */
  public static final TagAccount NONE = new TagAccount("", new Gauge());

  final String tag;
  private final Gauge gauge;
  private long allocations;
  private long addedBytes;
  private long removedBytes;
  private long claimed;

  TagAccount(String tag, Gauge gauge) {
    this.tag = tag;
    this.gauge = gauge;
  }

  /** Creates an account at 0, for the sum of several accounts of a tag. */
  static TagAccount sumOf(String tag) {
    return new TagAccount(tag, NONE.gauge);
  }

  /** Returns the tag. */
  public String tag() {
    return tag;
  }

  /** Counts an allocation. */
  public void allocated(long bytes) {
    allocations++;
    addedBytes += bytes;
    if (live() > claimed) {
      claim(live());
    }
  }

  /** Counts a free. */
  public void freed(long bytes) {
    removedBytes += bytes;
    if (live() < claimed - 2 * CHUNK_BYTES) {
      claim(live() + CHUNK_BYTES);
    }
  }

  private void claim(long bytes) {
    gauge.add(bytes - claimed);
    claimed = bytes;
  }

  private long live() {
    return addedBytes - removedBytes;
  }

  /** Sets the claim to the live bytes. */
  void settle() {
    claim(live());
  }

  /** Adds the counts of another account. */
  void add(TagAccount other) {
    allocations += other.allocations;
    addedBytes += other.addedBytes;
    removedBytes += other.removedBytes;
  }

  /** Returns the usage since an earlier sum. */
  TagUsage usage(TagAccount before, UsageGauge peaks) {
    return new TagUsage(
        tag,
        live(),
        Math.max(live(), peaks.peakOf(tag)),
        allocations - before.allocations,
        addedBytes - before.addedBytes);
  }
}
