package org.vramkit.pool.caching.internal.stats;

import org.vramkit.api.allocator.TagUsage;

/**
 * Counts the allocations and frees of a thread cache under one tag. Guarded by the cache's lock.
 *
 * <p>The account claims its live bytes among those of the tag, and at most {@link #BAND} more, so
 * that it changes the claim rarely. The peak of a tag is therefore never too low, and too high by
 * at most 8 MiB for each of the other accounts.
 */
public final class TagAccount {
  /** The most bytes that are claimed beyond the live ones. */
  static final long BAND = 8L << 20;

  /** Counts nothing. Marks a block without a tag whose close needs the slow path. */
  public static final TagAccount NONE = new TagAccount("", new UsageGauge.Claims(null));

  final String tag;
  private final UsageGauge.Claims claims;
  private long allocations;
  private long addedBytes;
  private long removedBytes;
  private long claimed;

  TagAccount(String tag, UsageGauge.Claims claims) {
    this.tag = tag;
    this.claims = claims;
  }

  static TagAccount sumOf(String tag) {
    return new TagAccount(tag, NONE.claims);
  }

  public String tag() {
    return tag;
  }

  public void allocated(long bytes) {
    allocations++;
    addedBytes += bytes;
    if (live() > claimed) {
      settle();
    }
  }

  public void freed(long bytes) {
    removedBytes += bytes;
    if (live() < claimed - BAND) {
      claimed = claims.move(claimed, live() + BAND / 2);
    }
  }

  private long live() {
    return addedBytes - removedBytes;
  }

  /** Sets the claim to the live bytes. */
  void settle() {
    claimed = claims.move(claimed, live());
  }

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
