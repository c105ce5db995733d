package org.vramkit.pool.caching.internal.heap;

import java.util.Collection;
import java.util.List;

/**
 * Which stream is asked for the sake of a better fit in segments: the one that has the best of all,
 * where that is clearly better than what there is, and only if none was asked just now. Under the
 * heap's lock.
 */
final class FitQuestions {
  /** What another stream frees is worth a question if it is better by one part in so many. */
  private static final int BETTER_PARTS = 8;

  /** At most one stream of all is asked in so much time. */
  private static final long ASKING_NANOS = 200_000;

  private final MoveTime time;
  private long askedAt;

  FitQuestions(MoveTime time) {
    this.time = time;
    this.askedAt = time.now() - ASKING_NANOS;
  }

  /**
   * One stream or none.
   *
   * @param than bytes of the best fit that there is; {@link Long#MAX_VALUE} for none
   */
  List<StreamState> bestToAsk(
      StreamState owner, long size, long than, Collection<? extends StreamState> all) {
    long now = time.now();
    if (than - size <= size / BETTER_PARTS || now - askedAt < ASKING_NANOS) {
      return List.of();
    }
    long least = than == Long.MAX_VALUE ? than : than - size / BETTER_PARTS;
    StreamState best = null;
    for (StreamState each : all) {
      long fit = each == owner ? Long.MAX_VALUE : each.unsettledLarge.bestSize(size);
      if (fit < least) {
        least = fit;
        best = each;
      }
    }
    if (best == null) {
      return List.of();
    }
    askedAt = now;
    return List.of(best);
  }
}
