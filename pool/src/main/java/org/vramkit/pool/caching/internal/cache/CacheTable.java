package org.vramkit.pool.caching.internal.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.support.PoolHealth;
import org.vramkit.pool.support.PoolLock;
import org.vramkit.pool.support.Streams;

/**
 * The caches of all streams of a pool, and the lookup of a thread's cache.
 *
 * <p>A hit calls {@link #findCache}, which reads a lossy hash table of the caches that each thread
 * used last, by the identity of the stream object. Threads that share a slot overwrite each other's
 * entries. A lookup returns the right cache or null, and a lost entry is added again by the slow
 * path.
 *
 * <p>The slow path calls {@link #of}, which looks up streams by the identity of their objects,
 * without a lock. Unknown objects are compared by equality under the lock and then added. Equal
 * objects share caches while the first of them is open. Afterwards the driver may give the handle
 * to a new stream, which gets caches of its own, because work of the closed stream may still use
 * the old blocks.
 */
public final class CacheTable {
  private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(ThreadCache[].class);

  /** Number of slots by thread: several times the busy threads of a large host. */
  private static final int THREADS = 1 << 10;

  /** Number of slots by thread and stream. */
  private static final int PAIRS = 1 << 12;

  /** Private pools have 1/{@value} of the slots, because there may be thousands of pools. */
  private static final int SMALL_PART = 1 << 4;

  /** Spreads consecutive thread ids: 2^32 divided by the golden ratio. */
  private static final int SPREAD = 0x9E3779B9;

  /**
   * The number of streams at which closed ones are first removed; later, twice the number that
   * remained, if that is more.
   */
  private static final int FIRST_CROWD = 64;

  /** Number of stream objects at which the table is cleared before the next is added. */
  private static final int MAX_ENTRIES = 1 << 10;

  private final Function<Stream, StreamCache> factory;

  // Plain arrays: a wrapper would cost a hit one more dependent load.
  private final @Nullable ThreadCache[] last;
  private final @Nullable ThreadCache[] pairs;

  /**
   * The thread caches that may hold blocks. A flush empties only these, however many streams are
   * open. A lock-free stack, linked through the caches; a cache enters with its first block after a
   * flush.
   */
  private final AtomicReference<@Nullable ThreadCache> filled = new AtomicReference<>();

  private final Map<Stream, StreamCache> newest = new HashMap<>();

  private volatile List<StreamCache> all = List.of();

  /** The caches by the identity of stream objects. Replaced, never changed. */
  private volatile IdentityHashMap<Stream, StreamCache> table = new IdentityHashMap<>();

  private volatile int crowd = FIRST_CROWD;

  /** Guards the set of caches and their initial state. Acquired after the lock of the heap. */
  private final PoolLock lock;

  private boolean frozen;

  private int stopped;

  /**
   * Creates an empty set.
   *
   * @param large whether many threads are expected
   */
  public CacheTable(PoolHealth health, Function<Stream, StreamCache> factory, boolean large) {
    this(
        health,
        factory,
        large ? THREADS : THREADS / SMALL_PART,
        large ? PAIRS : PAIRS / SMALL_PART);
  }

  /** Creates an empty set with numbers of slots that are powers of two. */
  CacheTable(PoolHealth health, Function<Stream, StreamCache> factory, int threads, int pairs) {
    this.lock = new PoolLock(health);
    this.factory = factory;
    this.last = new ThreadCache[threads];
    this.pairs = new ThreadCache[pairs];
  }

  // ---- lookup by thread ----

  /**
   * Returns this thread's cache for exactly this stream object; null if the cache is unknown or
   * must not serve a hit.
   */
  public @Nullable ThreadCache findCache(Stream stream) {
    return findCache(stream, thisThread());
  }

  /** Returns the cache of a thread id, as {@link #findCache(Stream)} does. */
  public @Nullable ThreadCache findCache(Stream stream, int thread) {
    ThreadCache cache = at(last, thread & (last.length - 1));
    return cache != null && cache.found == stream ? cache : findPair(thread, stream);
  }

  private static int thisThread() {
    return (int) Thread.currentThread().getId();
  }

  private @Nullable ThreadCache findPair(int thread, Stream stream) {
    ThreadCache cache = at(pairs, placeOf(thread, stream));
    if (cache == null || cache.found != stream) {
      return null;
    }
    set(last, thread & (last.length - 1), cache);
    return cache;
  }

  public void rememberCache(ThreadCache cache) {
    rememberCache(cache, thisThread());
  }

  void rememberCache(ThreadCache cache, int thread) {
    set(pairs, placeOf(thread, cache.stream), cache);
    set(last, thread & (last.length - 1), cache);
  }

  /** Clears the lookup by thread. */
  void forgetUsed() {
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

  private static void set(@Nullable ThreadCache[] table, int place, @Nullable ThreadCache cache) {
    PLACE.setRelease(table, place, cache);
  }

  private int placeOf(int thread, Stream stream) {
    return (System.identityHashCode(stream) ^ ((thread * SPREAD) >>> 16)) & (pairs.length - 1);
  }

  // ---- caches that hold blocks ----

  /** Adds a cache that has become non-empty. Called under the lock of the cache. */
  public void filled(ThreadCache cache) {
    ThreadCache before;
    do {
      before = filled.get();
      cache.nextFilled = before;
    } while (!filled.compareAndSet(before, cache));
  }

  /** Empties all caches into the heap; returns the bytes moved. */
  public long flush(Heap heap) {
    return drain(heap, ThreadCache::empty);
  }

  /**
   * Empties the caches into the heap; caches that have grown keep a part of their blocks. Returns
   * the bytes moved.
   */
  public long shrink(Heap heap) {
    return drain(heap, ThreadCache::shrink);
  }

  private long drain(Heap heap, ToLongFunction<ThreadCache> keptBytes) {
    long[] drained = {0};
    ThreadCache each = filled.getAndSet(null);
    while (each != null) {
      // Read first: once the cache is marked as not filled, another thread may add it again.
      ThreadCache next = each.nextFilled;
      each.drainTo(
          heap,
          cache -> {
            long kept = keptBytes.applyAsLong(cache);
            cache.setFilled(kept > 0);
            drained[0] += Math.max(0, cache.bytes() - kept);
            return kept;
          });
      each = next;
    }
    return drained[0];
  }

  // ---- lookup by stream ----

  /**
   * Empties all caches into the heap and keeps them empty until {@link #unfreeze}, so that no hit
   * happens. Frees go on.
   */
  public void freeze(Heap heap) {
    List<StreamCache> caches = setFrozen(true);
    // Without the lock, because blocks go to the heap, whose lock is acquired before.
    caches.forEach(each -> each.freeze(heap));
  }

  /** Allows hits again. */
  public void unfreeze() {
    setFrozen(false).forEach(StreamCache::unfreeze);
  }

  /** Sets the initial state of new caches; returns the existing ones. */
  private List<StreamCache> setFrozen(boolean now) {
    lock.lock();
    try {
      frozen = now;
      return all;
    } finally {
      lock.unlock();
    }
  }

  /** Locks all caches and prevents new ones, until {@link #resume}. */
  public void stop() {
    lock.lock();
    boolean done = false;
    try {
      for (StreamCache each : all) {
        each.stop();
        stopped++;
      }
      done = true;
    } finally {
      if (!done) {
        resume();
      }
    }
  }

  /** Unlocks the caches. Called by the thread that stopped them. */
  public void resume() {
    while (stopped > 0) {
      all.get(--stopped).resume();
    }
    lock.unlock();
  }

  /** Returns the caches of a stream, which are created if it is new. */
  public StreamCache of(Stream stream) {
    StreamCache known = table.get(stream);
    return known != null ? known : learn(stream);
  }

  /**
   * Returns {@code known}, or new caches if its stream object is closed but {@code stream} is open.
   * Caches query their own stream object, and a closed object cannot be queried.
   */
  public StreamCache renew(StreamCache known, Stream stream) {
    return known.stream.isClosed() && !stream.isClosed() ? learn(stream) : known;
  }

  /** Returns the caches of all streams, the oldest first; a snapshot. */
  public List<StreamCache> all() {
    return all;
  }

  /** Returns whether there are enough streams to look for closed ones to remove. */
  public boolean isCrowded() {
    return all.size() >= crowd;
  }

  /** Removes empty caches whose streams are closed. */
  public void forget(Collection<StreamCache> retired) {
    lock.lock();
    try {
      retired.forEach(each -> newest.remove(each.stream, each));
      Set<StreamCache> gone = new HashSet<>(retired);
      all = all.stream().filter(each -> !gone.contains(each)).toList();
      table = new IdentityHashMap<>();
      crowd = Math.max(FIRST_CROWD, 2 * all.size());
      forgetUsed();
    } finally {
      lock.unlock();
    }
  }

  private StreamCache learn(Stream stream) {
    lock.lock();
    try {
      StreamCache caches = newest.get(stream);
      if (caches == null || !Streams.areSame(caches.stream, stream)) {
        caches = begin(stream, caches);
      }
      IdentityHashMap<Stream, StreamCache> more =
          table.size() < MAX_ENTRIES ? new IdentityHashMap<>(table) : new IdentityHashMap<>();
      more.put(stream, caches);
      table = more;
      return caches;
    } finally {
      lock.unlock();
    }
  }

  private StreamCache begin(Stream stream, @Nullable StreamCache ended) {
    Streams.requireOpen(stream);
    StreamCache caches = factory.apply(stream);
    if (frozen) {
      caches.freeze();
    }
    newest.put(stream, caches);
    List<StreamCache> more = new ArrayList<>(all);
    more.add(caches);
    all = List.copyOf(more);
    if (ended != null) {
      // If only one object of the stream was closed, its other objects use the new caches from now
      // on.
      IdentityHashMap<Stream, StreamCache> rest = new IdentityHashMap<>(table);
      rest.values().removeIf(each -> each == ended);
      table = rest;
    }
    return caches;
  }
}
