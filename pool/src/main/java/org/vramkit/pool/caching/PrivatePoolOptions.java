package org.vramkit.pool.caching;

import org.jspecify.annotations.Nullable;
import org.vramkit.pool.support.Sizes;

/**
 * Options of a private pool; start with {@link #DEFAULT}. All other settings come from the
 * allocator.
 *
 * @param limitBytes maximum bytes that the pool reserves; the allocator's limit applies as well
 * @param source source of its segments; null for the allocator's kind of memory
 */
public record PrivatePoolOptions(long limitBytes, @Nullable SegmentSource source) {

  /** The default options: no limit for this pool alone, and the allocator's kind of memory. */
  public static final PrivatePoolOptions DEFAULT = new PrivatePoolOptions(Long.MAX_VALUE, null);

  /** Rejects a negative limit. */
  public PrivatePoolOptions {
    Sizes.requireNotNegative("limit", limitBytes);
  }

  /**
   * Returns these options with a limit.
   *
   * @param bytes not negative; {@link Long#MAX_VALUE} for none
   */
  public PrivatePoolOptions withLimit(long bytes) {
    return new PrivatePoolOptions(bytes, source);
  }

  /**
   * Returns these options with a source of segments. Its segments have fixed sizes, even if the
   * allocator uses virtual memory.
   */
  public PrivatePoolOptions withSource(SegmentSource segments) {
    return new PrivatePoolOptions(limitBytes, segments);
  }
}
