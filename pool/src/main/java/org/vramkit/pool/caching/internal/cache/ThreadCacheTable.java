package org.vramkit.pool.caching.internal.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;

/**
 * Where each thread last found the stripe for a stream: what a hit looks up instead of the stream's
 * heap and its stripes. One place for each thread, which holds what it used last, and one for each
 * pair of thread and stream object, dealt by hash; a place that several share goes to whoever came
 * last. What is found is right or nothing; what is lost is learnt again.
 */
public final class ThreadCacheTable {
  private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(ThreadCache[].class);

  /** Several times as many as there are busy threads on a large host. */
  private static final int THREADS = 1 << 10;

  /** And as pairs of those with streams. */
  private static final int PAIRS = 1 << 12;

  /** Spreads consecutive thread numbers: 2^32 over the golden ratio. */
  private static final int SPREAD = 0x9E3779B9;

  // Arrays themselves: one load less on the way to each, which a hit has to wait for.
  private final @Nullable ThreadCache[] last;
  private final @Nullable ThreadCache[] pairs;

  /** The parts of both that suffice where few threads go, and there may be thousands of tables. */
  private static final int SMALL_PART = 1 << 4;

  /** For few threads; knows nothing yet. */
  public static ThreadCacheTable small() {
    return new ThreadCacheTable(THREADS / SMALL_PART, PAIRS / SMALL_PART);
  }

  /** Knows nothing yet. */
  public ThreadCacheTable() {
    this(THREADS, PAIRS);
  }

  /**
   * The same with other numbers of places.
   *
   * @param threads a power of two
   * @param pairs a power of two
   */
  public ThreadCacheTable(int threads, int pairs) {
    last = new ThreadCache[threads];
    this.pairs = new ThreadCache[pairs];
  }

  /**
   * This thread's stripe of the heap that was made for just this object, if it is known and does
   * not hide.
   */
  public @Nullable ThreadCache find(Stream stream) {
    return find(stream, thisThread());
  }

  /** The same for the thread of that number. */
  public @Nullable ThreadCache find(Stream stream, int thread) {
    ThreadCache stripe = at(last, thread & (last.length - 1));
    return stripe != null && stripe.found == stream ? stripe : findPair(thread, stream);
  }

  private static int thisThread() {
    return (int) Thread.currentThread().getId();
  }

  private @Nullable ThreadCache findPair(int thread, Stream stream) {
    ThreadCache stripe = at(pairs, placeOf(thread, stream));
    if (stripe == null || stripe.found != stream) {
      return null;
    }
    set(last, thread & (last.length - 1), stripe);
    return stripe;
  }

  /** Remembers a stripe for this thread and the stream of the stripe. */
  public void remember(ThreadCache stripe) {
    remember(stripe, thisThread());
  }

  /** The same for the thread of that number. */
  public void remember(ThreadCache stripe, int thread) {
    set(pairs, placeOf(thread, stripe.stream), stripe);
    set(last, thread & (last.length - 1), stripe);
  }

  /** Forgets everything. */
  public void clear() {
    for (int i = 0; i < last.length; i++) {
      set(last, i, null);
    }
    for (int i = 0; i < pairs.length; i++) {
      set(pairs, i, null);
    }
  }

  private static @Nullable ThreadCache at(@Nullable ThreadCache[] table, int place) {
    return (ThreadCache) PLACE.getAcquire(table, place);
  }

  private static void set(@Nullable ThreadCache[] table, int place, @Nullable ThreadCache stripe) {
    PLACE.setRelease(table, place, stripe);
  }

  private int placeOf(int thread, Stream stream) {
    return (System.identityHashCode(stream) ^ ((thread * SPREAD) >>> 16)) & (pairs.length - 1);
  }
}
