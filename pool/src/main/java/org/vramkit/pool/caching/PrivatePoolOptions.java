package org.vramkit.pool.caching;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * What a private pool is to be like; begin with {@link #DEFAULT}. All else it has from its
 * allocator.
 *
 * @param limitBytes most that it may reserve, besides the limit over all pools; not negative
 * @param source where its segments come from; null for the allocator's kind of memory
 */
public record PrivatePoolOptions(long limitBytes, @Nullable SegmentSource source) {

  /** Keeps its memory to itself, has no limit of its own, and the allocator's kind of memory. */
  public static final PrivatePoolOptions DEFAULT = new PrivatePoolOptions(Long.MAX_VALUE, null);

  /** Refuses a negative limit. */
  public PrivatePoolOptions {
    if (limitBytes < 0) {
      throw new InvalidArgumentException("limit must not be negative: " + limitBytes);
    }
  }

  /**
   * The same with a limit of the pool's own.
   *
   * @param bytes not negative; {@link Long#MAX_VALUE} for none
   */
  public PrivatePoolOptions withLimit(long bytes) {
    return new PrivatePoolOptions(bytes, source);
  }

  /** The same with segments of this source, of fixed sizes also where memory is virtual. */
  public PrivatePoolOptions withSource(SegmentSource segments) {
    return new PrivatePoolOptions(limitBytes, segments);
  }
}
