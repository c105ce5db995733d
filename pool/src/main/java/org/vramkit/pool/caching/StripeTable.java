package org.vramkit.pool.caching;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;

/**
 * Where each thread last found the stripe for a stream: what a hit looks up instead of the stream's
 * heap and its stripes. One place for each thread, which holds what it used last, and one for each
 * pair of thread and stream object, dealt by hash; a place that several share goes to whoever came
 * last. What is found is right or nothing; what is lost is learnt again.
 */
final class StripeTable {
  /** Several times as many as there are busy threads on a large host. */
  private static final int THREADS = 1 << 10;

  /** And as pairs of those with streams. */
  private static final int PAIRS = 1 << 12;

  /** Spreads consecutive thread numbers: 2^32 over the golden ratio. */
  private static final int SPREAD = 0x9E3779B9;

  private final AtomicReferenceArray<@Nullable CacheStripe> last =
      new AtomicReferenceArray<>(THREADS);

  private final AtomicReferenceArray<@Nullable CacheStripe> pairs =
      new AtomicReferenceArray<>(PAIRS);

  /** This thread's stripe of the heap that was made for just this object, if it is known. */
  @Nullable CacheStripe find(Stream stream) {
    int thread = (int) Thread.currentThread().getId();
    CacheStripe stripe = last.getAcquire(thread & (THREADS - 1));
    return stripe != null && stripe.stream == stream ? stripe : findPair(thread, stream);
  }

  private @Nullable CacheStripe findPair(int thread, Stream stream) {
    CacheStripe stripe = pairs.getAcquire(placeOf(thread, stream));
    if (stripe == null || stripe.stream != stream) {
      return null;
    }
    last.setRelease(thread & (THREADS - 1), stripe);
    return stripe;
  }

  /** Remembers a stripe for this thread and the stream of the stripe. */
  void remember(CacheStripe stripe) {
    int thread = (int) Thread.currentThread().getId();
    pairs.setRelease(placeOf(thread, stripe.stream), stripe);
    last.setRelease(thread & (THREADS - 1), stripe);
  }

  /** Forgets everything. */
  void clear() {
    for (int i = 0; i < THREADS; i++) {
      last.setRelease(i, null);
    }
    for (int i = 0; i < PAIRS; i++) {
      pairs.setRelease(i, null);
    }
  }

  private static int placeOf(int thread, Stream stream) {
    return (System.identityHashCode(stream) ^ ((thread * SPREAD) >>> 16)) & (PAIRS - 1);
  }
}
