package org.vramkit.pool.caching.internal.cache;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.heap.Heap;
import org.vramkit.pool.support.Streams;

/**
 * The caches of all streams of a pool, and how a thread finds its own.
 *
 * <p>A hit asks {@link #findCache}: a table of what each thread used last, by the identity of the
 * stream object. Its places are dealt by hash; one that several share goes to the thread that came
 * last. It answers what is right or nothing, and what it lost it learns again.
 *
 * <p>Behind it, {@link #of} looks streams up by the identity of their objects, without a lock;
 * objects that are not known yet are compared by equality under the lock and then remembered. Equal
 * objects share a cache while the one that the cache was made for is open. Afterwards the driver
 * may have given the handle to a new stream, which gets a cache of its own: work of the closed one
 * may still use what lies in the other cache.
 */
public final class StreamCaches {
  private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(ThreadCache[].class);

  /** Several times as many as there are busy threads on a large host. */
  private static final int THREADS = 1 << 10;

  /** And as pairs of those with streams. */
  private static final int PAIRS = 1 << 12;

  /** The parts of both that suffice where few threads go, and there may be thousands of tables. */
  private static final int SMALL_PART = 1 << 4;

  /** Spreads consecutive thread numbers: 2^32 over the golden ratio. */
  private static final int SPREAD = 0x9E3779B9;

  /** As many streams as may be known before closed ones are looked for. */
  private static final int FIRST_CROWD = 64;

  /** Above this the table forgets which objects it has seen, and learns again. */
  private static final int MAX_ENTRIES = 1 << 10;

  /** Open addressing; never full, never changed once published. */
  private static final class Table {
    final @Nullable Stream[] keys;
    final @Nullable StreamCache[] values;
    final int entries;

    Table(int capacity, int entries) {
      this.keys = new Stream[capacity];
      this.values = new StreamCache[capacity];
      this.entries = entries;
    }

    Table with(Stream stream, StreamCache heap) {
      int more = entries + 1;
      // At most half full, so that a search always ends at an empty place.
      Table grown = new Table(Integer.highestOneBit(more * 2) * 2, more);
      for (int i = 0; i < keys.length; i++) {
        Stream key = keys[i];
        if (key != null) {
          grown.insert(key, values[i]);
        }
      }
      grown.insert(stream, heap);
      return grown;
    }

    Table without(StreamCache heap) {
      Table rest = new Table(2, 0);
      for (int i = 0; i < keys.length; i++) {
        Stream key = keys[i];
        StreamCache value = values[i];
        if (key != null && value != null && value != heap) {
          rest = rest.with(key, value);
        }
      }
      return rest;
    }

    private void insert(Stream stream, @Nullable StreamCache heap) {
      int mask = keys.length - 1;
      int i = System.identityHashCode(stream) & mask;
      while (keys[i] != null) {
        i = (i + 1) & mask;
      }
      keys[i] = stream;
      values[i] = heap;
    }
  }

  private final Function<Stream, StreamCache> factory;

  // Arrays themselves: one load less on the way to each, which a hit has to wait for.
  private final @Nullable ThreadCache[] last;
  private final @Nullable ThreadCache[] pairs;

  /**
   * The thread caches that may hold blocks: a flush empties these and no others, however many
   * streams are open. A lock-free stack, linked through the caches. A cache enters when it keeps
   * its first block after a flush.
   */
  private final AtomicReference<@Nullable ThreadCache> filled = new AtomicReference<>();

  /** The newest heap of each handle. */
  private final Map<Stream, StreamCache> heaps = new HashMap<>();

  private volatile List<StreamCache> all = List.of();
  private volatile Table table = new Table(2, 0);
  private volatile int crowd = FIRST_CROWD;

  /** Guards which caches there are, and how they begin. After the lock of the heap. */
  private final ReentrantLock lock = new ReentrantLock();

  /** Whether caches keep nothing. */
  private boolean frozen;

  /** How many caches are stopped. */
  private int stopped;

  /**
   * Knows no stream yet.
   *
   * @param factory makes the cache of a stream
   * @param large whether many threads are expected
   */
  public StreamCaches(Function<Stream, StreamCache> factory, boolean large) {
    this(factory, large ? THREADS : THREADS / SMALL_PART, large ? PAIRS : PAIRS / SMALL_PART);
  }

  /** Knows no stream yet; with so many places for threads and for pairs, both powers of two. */
  StreamCaches(Function<Stream, StreamCache> factory, int threads, int pairs) {
    this.factory = factory;
    this.last = new ThreadCache[threads];
    this.pairs = new ThreadCache[pairs];
  }

  // ---- what a thread used last ----

  /**
   * This thread's cache of the stream that was made for just this object, if it is known and does
   * not hide.
   */
  public @Nullable ThreadCache findCache(Stream stream) {
    return findCache(stream, thisThread());
  }

  /** The same for the thread of that number. */
  public @Nullable ThreadCache findCache(Stream stream, int thread) {
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

  /** Remembers a cache for this thread and the stream of the cache. */
  public void rememberCache(ThreadCache cache) {
    rememberCache(cache, thisThread());
  }

  /** The same for the thread of that number. */
  void rememberCache(ThreadCache cache, int thread) {
    set(pairs, placeOf(thread, cache.stream), cache);
    set(last, thread & (last.length - 1), cache);
  }

  /** Forgets what threads used. */
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

  private static void set(@Nullable ThreadCache[] table, int place, @Nullable ThreadCache stripe) {
    PLACE.setRelease(table, place, stripe);
  }

  private int placeOf(int thread, Stream stream) {
    return (System.identityHashCode(stream) ^ ((thread * SPREAD) >>> 16)) & (pairs.length - 1);
  }

  // ---- those that hold blocks ----

  /** Enters a cache that keeps a block again. Under its lock. */
  public void filled(ThreadCache cache) {
    ThreadCache before;
    do {
      before = filled.get();
      cache.nextFilled = before;
    } while (!filled.compareAndSet(before, cache));
  }

  /** Empties all caches into the heap; returns the bytes. */
  public long flush(Heap heap) {
    return drain(heap, ThreadCache::empty);
  }

  /**
   * Empties the caches into the heap, but for those that have grown: they give what they need no
   * more. Returns the bytes.
   */
  public long shrink(Heap heap) {
    return drain(heap, ThreadCache::shrink);
  }

  private long drain(Heap heap, ToLongFunction<ThreadCache> keptBytes) {
    long[] drained = {0};
    ThreadCache each = filled.getAndSet(null);
    while (each != null) {
      // Once it is marked as absent, another thread may enter it again.
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

  // ---- by stream ----

  /**
   * Empties all caches into the heap, and has them keep nothing until they are thawed: from then on
   * no hit happens. Frees go on.
   */
  public void freeze(Heap heap) {
    List<StreamCache> caches = setFrozen(true);
    // Without the lock: what lies in caches goes to the heap, whose lock comes before.
    caches.forEach(each -> each.freeze(heap));
  }

  /** Lets hits happen again. */
  public void thaw() {
    setFrozen(false).forEach(StreamCache::thaw);
  }

  /** Decides how caches begin from now on; returns those there are. */
  private List<StreamCache> setFrozen(boolean now) {
    lock.lock();
    try {
      frozen = now;
      return all;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Has no cache hand out a block or take one back, and no stream be new, until {@link #resume}.
   */
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

  /** Lets the caches go on, by the thread that stopped them. */
  public void resume() {
    while (stopped > 0) {
      all.get(--stopped).resume();
    }
    lock.unlock();
  }

  public StreamCache of(Stream stream) {
    Table seen = table;
    int mask = seen.keys.length - 1;
    for (int i = System.identityHashCode(stream) & mask; ; i = (i + 1) & mask) {
      Stream key = seen.keys[i];
      StreamCache value = seen.values[i];
      if (key == stream && value != null) {
        return value;
      }
      if (key == null) {
        return learn(stream);
      }
    }
  }

  /**
   * The heap to go on with beyond a hit: another one where the object that the heap was made for is
   * closed and this one for the same stream is open. A heap asks its own object how far the stream
   * has come, and of a closed one only the whole device can tell.
   */
  public StreamCache renew(StreamCache known, Stream stream) {
    return known.stream.isClosed() && !stream.isClosed() ? learn(stream) : known;
  }

  /** Every heap there is, in order of appearance; a snapshot. */
  public List<StreamCache> all() {
    return all;
  }

  /** Whether so many streams are known that it pays to look for closed ones. */
  public boolean isCrowded() {
    return all.size() >= crowd;
  }

  /** Forgets heaps whose streams are closed and that hold nothing. */
  public void forget(Collection<StreamCache> retired) {
    lock.lock();
    try {
      retired.forEach(each -> heaps.remove(each.stream, each));
      Set<StreamCache> gone = new HashSet<>(retired);
      all = all.stream().filter(each -> !gone.contains(each)).toList();
      table = new Table(2, 0);
      crowd = Math.max(FIRST_CROWD, 2 * all.size());
      forgetUsed();
    } finally {
      lock.unlock();
    }
  }

  private StreamCache learn(Stream stream) {
    lock.lock();
    try {
      StreamCache heap = heaps.get(stream);
      if (heap == null || !Streams.areSame(heap.stream, stream)) {
        heap = begin(stream, heap);
      }
      Table old = table.entries < MAX_ENTRIES ? table : new Table(2, 0);
      table = old.with(stream, heap);
      return heap;
    } finally {
      lock.unlock();
    }
  }

  private StreamCache begin(Stream stream, @Nullable StreamCache ended) {
    Streams.requireOpen(stream);
    StreamCache heap = factory.apply(stream);
    if (frozen) {
      heap.freeze();
    }
    heaps.put(stream, heap);
    List<StreamCache> more = new ArrayList<>(all);
    more.add(heap);
    all = List.copyOf(more);
    if (ended != null) {
      // Where only a wrapper was closed, the other objects for the stream follow into the new heap.
      table = table.without(ended);
    }
    return heap;
  }
}
