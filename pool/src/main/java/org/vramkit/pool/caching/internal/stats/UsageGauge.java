package org.vramkit.pool.caching.internal.stats;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.pool.support.Gauge;

/**
 * The live bytes and blocks of an allocator or a private pool, also by tag, and their peaks.
 *
 * <p>Each thread cache claims a part of these figures, never less than its live bytes, so a cache
 * rarely calls the gauge. A claim exceeds the live bytes by up to a step while that raises no peak,
 * and freed bytes stay claimed up to two steps. A step is 4 MiB or 256 blocks, and more for a cache
 * with many live bytes: a sixteenth of those when it last called. Before a claim raises a peak, all
 * caches that are not in use at that moment return what they claim beyond their live bytes.
 *
 * <p>Peaks are therefore exact while one thread at a time is inside the allocator. Under
 * concurrency a peak may be too high by the unused claims of the caches in use, at most two steps
 * for each.
 *
 * <p>The monitor of the allocator's gauge guards all gauges, including those of private pools. It
 * is acquired under the lock of a cache; under it, the locks of other caches are only tried.
 */
public class UsageGauge {
  static final int REQUESTED = 0;
  static final int ALLOCATED = 1;
  static final int BLOCKS = 2;

  /** Number of quantities that caches claim. */
  static final int CLAIMED = 3;

  /** Allocated bytes, and bytes that are closed and wait for other streams. */
  private static final int ACTIVE = 3;

  private static final int QUANTITIES = 4;

  /** Step of claimed blocks. */
  private static final long CHUNK_BLOCKS = 256;

  /** Most tags that are counted separately, because a program may derive tags from its requests. */
  private static final int MOST_TAGS = 1024;

  private final UsageGauge total;
  private final long[] chunk;
  private final long[] live = new long[QUANTITIES];
  private final long[] peaks = new long[QUANTITIES];

  /** The live bytes by tag; not guarded by the monitor. */
  private final Map<String, Gauge> tags = new ConcurrentHashMap<>();

  /**
   * The head of the list of caches that may claim more than is live. Used only in the allocator's
   * gauge, for all pools.
   */
  private @Nullable ThreadCacheStatistics unused;

  /**
   * Creates the gauge of an allocator.
   *
   * @param chunkBytes the least step of claimed bytes; 0 for exact claims
   */
  public UsageGauge(long chunkBytes) {
    this.total = this;
    this.chunk = new long[] {chunkBytes, chunkBytes, chunkBytes == 0 ? 0 : CHUNK_BLOCKS};
  }

  /** Creates the gauge of a private pool, which counts for the allocator too. */
  public UsageGauge(UsageGauge total) {
    this.total = total;
    this.chunk = total.chunk;
  }

  /** Returns the most bytes or blocks that a cache claims ahead. */
  long chunk(int quantity) {
    return chunk[quantity];
  }

  /**
   * Raises the claim of a cache to its live values, and further if no peak rises. Called under the
   * cache's lock.
   */
  void cover(ThreadCacheStatistics cache) {
    synchronized (total) {
      boolean fits = true;
      for (int i = 0; i < CLAIMED; i++) {
        fits &= cache.unclaimed(i) <= room(i);
      }
      // Claims ahead nevertheless, because contending threads would call again and again.
      boolean raises = !fits && !total.collect(cache);
      for (int i = 0; i < CLAIMED; i++) {
        long missing = cache.unclaimed(i);
        long ahead = Math.min(cache.chunk(i), cache.live(i) / 2);
        long spare = Math.max(0, (room(i) - missing) / 2);
        claim(cache, i, Math.max(0, missing + (raises ? ahead : Math.min(ahead, spare))));
      }
      list(cache);
    }
  }

  /** Returns by how much a quantity can rise without a new peak. */
  private long room(int quantity) {
    long own = peaks[quantity] - live[quantity];
    if (quantity == ALLOCATED) {
      own = Math.min(own, peaks[ACTIVE] - live[ACTIVE]);
    }
    return total == this ? own : Math.min(own, total.room(quantity));
  }

  /** Settles the claims of listed caches; returns false when one is in use. */
  private boolean collect(@Nullable ThreadCacheStatistics asking) {
    for (ThreadCacheStatistics each = unused; each != null; each = unused) {
      if (each != asking && !each.lock.tryLock()) {
        return false;
      }
      unused = each.nextListed;
      each.nextListed = null;
      each.listed = false;
      if (each != asking) {
        try {
          each.settleClaims();
        } finally {
          each.lock.unlock();
        }
      }
    }
    return true;
  }

  /** Unlists caches that have ended and are settled. */
  public void forgetSettled() {
    synchronized (total) {
      total.collect(null);
    }
  }

  /** Lists a cache that may claim more than is live. Called under its lock. */
  void list(ThreadCacheStatistics cache) {
    synchronized (total) {
      if (!cache.listed) {
        cache.listed = true;
        cache.nextListed = total.unused;
        total.unused = cache;
      }
    }
  }

  /** Changes a claim of a cache. Called under its lock. */
  void claim(ThreadCacheStatistics cache, int quantity, long change) {
    synchronized (total) {
      add(quantity, change);
      cache.claimed[quantity] += change;
    }
  }

  private void add(int quantity, long amount) {
    raise(quantity, amount);
    if (quantity == ALLOCATED) {
      raise(ACTIVE, amount);
    }
    if (total != this) {
      total.add(quantity, amount);
    }
  }

  private void raise(int quantity, long amount) {
    live[quantity] += amount;
    peaks[quantity] = Math.max(peaks[quantity], live[quantity]);
  }

  /** Counts a block that becomes pending: it is still active, but no longer allocated. */
  void pendingAdded(ThreadCacheStatistics cache, long bytes) {
    synchronized (total) {
      cache.claimed[ALLOCATED] -= bytes;
      live[ALLOCATED] -= bytes;
      if (total != this) {
        total.live[ALLOCATED] -= bytes;
      }
    }
  }

  /** Counts a block that no longer waits for other streams. */
  public void pendingRemoved(long bytes) {
    synchronized (total) {
      live[ACTIVE] -= bytes;
      if (total != this) {
        total.live[ACTIVE] -= bytes;
      }
    }
  }

  /** Returns the bytes of closed blocks that wait for other streams. */
  public long pendingBytes() {
    synchronized (total) {
      return live[ACTIVE] - live[ALLOCATED];
    }
  }

  /** Returns the bytes of live blocks, including those claimed ahead. */
  public long allocatedBytes() {
    synchronized (total) {
      return live[ALLOCATED];
    }
  }

  /** Returns the peak of active bytes: live, or waiting for other streams. */
  public long activePeak() {
    synchronized (total) {
      return peaks[ACTIVE];
    }
  }

  /** Peaks of one moment, none below its live value. */
  public record Peaks(long requested, long allocated, long active, long blocks) {}

  /** Returns the peaks of one moment. */
  public Peaks peaks() {
    synchronized (total) {
      return new Peaks(peaks[REQUESTED], peaks[ALLOCATED], peaks[ACTIVE], peaks[BLOCKS]);
    }
  }

  /** Resets the peaks to the live values. */
  public void resetPeaks() {
    synchronized (total) {
      System.arraycopy(live, 0, peaks, 0, QUANTITIES);
    }
    tags.values().forEach(Gauge::resetPeak);
  }

  /** Returns the name under which a tag is counted. */
  String nameOf(String tag) {
    Map<String, Gauge> all = total.tags;
    return all.size() < MOST_TAGS || all.containsKey(tag) ? tag : TagUsage.OTHERS;
  }

  /** Returns the live bytes of a tag. */
  Gauge ofTag(String name) {
    Gauge inTotal = total == this ? null : total.ofTag(name);
    return tags.computeIfAbsent(name, key -> new Gauge(inTotal));
  }

  /** Returns the peak of a tag, or a little more; see {@link TagAccount}. */
  long peakOf(String name) {
    Gauge known = tags.get(name);
    return known == null ? 0 : known.peak();
  }

  @Override
  public String toString() {
    synchronized (total) {
      return "live " + Arrays.toString(live) + ", peaks " + Arrays.toString(peaks);
    }
  }
}
