package org.vramkit.pool.caching.internal.stats;

import org.vramkit.api.allocator.TagUsage;

/**
 * Counts what one thread cache took and gave back under one tag, or several together. Guarded by
 * the cache's lock.
 *
 * <p>The gauge of the tag, which all caches share, has what is claimed here: never less than what
 * is live, and at most two chunks more. So the peak of a tag is never too low, and too high by 8
 * MiB for each cache at most.
 */
public final class TagAccount {
  /** Pairs of blocks up to twice that size touch no gauge. */
  static final long CHUNK_BYTES = 4L << 20;

  /**
   * Counts nothing: of a block that has no tag, and that something is to be done for at its end.
   */
  public static final TagAccount NONE = new TagAccount("", new TagGauges.Gauge(null));

  final String tag;
  private final TagGauges.Gauge gauge;
  private long allocations;
  private long addedBytes;
  private long removedBytes;
  private long claimed;

  TagAccount(String tag, TagGauges.Gauge gauge) {
    this.tag = tag;
    this.gauge = gauge;
  }

  /** Sums what several accounts of a tag have counted. */
  static TagAccount sumOf(String tag) {
    return new TagAccount(tag, NONE.gauge);
  }

  /** The tag. */
  public String tag() {
    return tag;
  }

  /** Counts a block that is handed out. */
  public void allocated(long bytes) {
    allocations++;
    addedBytes += bytes;
    if (live() > claimed) {
      claim(live());
    }
  }

  /** Counts a block that is closed. */
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

  /** Makes the claim what is live. */
  void settle() {
    claim(live());
  }

  /** Adds what another account has counted. */
  void add(TagAccount other) {
    allocations += other.allocations;
    addedBytes += other.addedBytes;
    removedBytes += other.removedBytes;
  }

  /** The usage since an earlier sum. */
  TagUsage usage(TagAccount before, TagGauges gauges) {
    return new TagUsage(
        tag,
        live(),
        Math.max(live(), gauges.peakOf(tag)),
        allocations - before.allocations,
        addedBytes - before.addedBytes);
  }
}
