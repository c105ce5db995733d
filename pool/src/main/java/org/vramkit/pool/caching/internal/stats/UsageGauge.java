package org.vramkit.pool.caching.internal.stats;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The live bytes and blocks of an allocator, or of one of its private pools, and their peaks.
 *
 * <p>Thread caches count for themselves. Each claims a part of the figure here that is never below
 * what is live in the cache, and so rarely comes here: a claim runs ahead of what is live by up to
 * a half while that raises no peak, and what is freed stays claimed, up to two chunks. Before a
 * claim raises a peak, all caches that no thread uses at that moment give back what they have
 * claimed and not used.
 *
 * <p>So the peaks of a program are exact while one thread at a time is inside the allocator. Where
 * threads meet, a peak may be too high by what the caches in use have claimed and not used: for
 * each of them, half of what was live in it, or two chunks of what was freed there (8 MiB, 512
 * blocks; of a cache that has grown, a sixteenth of what was live in it), whichever is more.
 *
 * <p>The monitor of the allocator's gauge guards everything, also of the pools. It is taken under
 * the lock of a cache; the locks of other caches are only tried for under it.
 */
public class UsageGauge {
  static final int REQUESTED = 0;
  static final int ALLOCATED = 1;
  static final int BLOCKS = 2;

  /** Quantities that caches claim. */
  static final int CLAIMED = 3;

  /** Allocated bytes, and bytes that were closed and wait for other streams. */
  private static final int ACTIVE = 3;

  private static final int QUANTITIES = 4;

  /** As many blocks are claimed at a time as small ones fill a chunk of bytes. */
  private static final long CHUNK_BLOCKS = 256;

  private final UsageGauge total;
  private final long[] chunk;
  private final long[] live = new long[QUANTITIES];
  private final long[] peaks = new long[QUANTITIES];

  /** What is live by tag. */
  public final TagGauges tags;

  /** The newest cache that may have claimed more than is live in it; of the allocator's gauge. */
  private @Nullable ThreadCacheStatistics unused;

  /**
   * The gauge of an allocator.
   *
   * @param chunkBytes up to twice as many freed bytes stay claimed; 0 for none
   */
  public UsageGauge(long chunkBytes) {
    this.total = this;
    this.chunk = new long[] {chunkBytes, chunkBytes, chunkBytes == 0 ? 0 : CHUNK_BLOCKS};
    this.tags = new TagGauges();
  }

  /** The gauge of a private pool, all of which counts in the allocator's too. */
  public UsageGauge(UsageGauge total) {
    this.total = total;
    this.chunk = total.chunk;
    this.tags = new TagGauges(total.tags);
  }

  /** Bytes or blocks that a cache claims ahead at most. */
  long chunk(int quantity) {
    return chunk[quantity];
  }

  /** Claims what is live in a cache, and more where no peak rises by it. Under the cache's lock. */
  void cover(ThreadCacheStatistics cache) {
    synchronized (total) {
      boolean fits = true;
      for (int i = 0; i < CLAIMED; i++) {
        fits &= cache.unclaimed(i) <= room(i);
      }
      // Threads that meet at a peak would meet there again and again.
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

  /** By how much a quantity can rise below its peaks. */
  private long room(int quantity) {
    long own = peaks[quantity] - live[quantity];
    if (quantity == ALLOCATED) {
      own = Math.min(own, peaks[ACTIVE] - live[ACTIVE]);
    }
    return total == this ? own : Math.min(own, total.room(quantity));
  }

  /** Has caches give back what they do not use; false where one is met that is in use. */
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

  /** Forgets caches that have ended, and are settled. */
  public void forgetSettled() {
    synchronized (total) {
      total.collect(null);
    }
  }

  /** Lists a cache that may have claimed more than is live in it. Under its lock. */
  void list(ThreadCacheStatistics cache) {
    synchronized (total) {
      if (!cache.listed) {
        cache.listed = true;
        cache.nextListed = total.unused;
        total.unused = cache;
      }
    }
  }

  /** Changes a claim of a cache. Under the cache's lock. */
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

  /** A block was closed and waits for other streams: it is active, and not allocated. */
  void discharge(ThreadCacheStatistics cache, long bytes) {
    synchronized (total) {
      cache.claimed[ALLOCATED] -= bytes;
      live[ALLOCATED] -= bytes;
      if (total != this) {
        total.live[ALLOCATED] -= bytes;
      }
    }
  }

  /** Such a block waits no more. */
  public void pendingRemoved(long bytes) {
    synchronized (total) {
      live[ACTIVE] -= bytes;
      if (total != this) {
        total.live[ACTIVE] -= bytes;
      }
    }
  }

  /** Bytes of blocks that were closed and wait for other streams. */
  public long pendingBytes() {
    synchronized (total) {
      return live[ACTIVE] - live[ALLOCATED];
    }
  }

  /** Bytes of live blocks, with what caches have claimed ahead. */
  public long allocatedBytes() {
    synchronized (total) {
      return live[ALLOCATED];
    }
  }

  /** The most bytes that were live, or waited for other streams, at once. */
  public long activePeak() {
    synchronized (total) {
      return peaks[ACTIVE];
    }
  }

  /** Peaks, none below what is live now. */
  public record Peaks(long requested, long allocated, long active, long blocks) {}

  /** The peaks of one moment. */
  public Peaks peaks() {
    synchronized (total) {
      return new Peaks(peaks[REQUESTED], peaks[ALLOCATED], peaks[ACTIVE], peaks[BLOCKS]);
    }
  }

  /** Makes the peaks what is live now. */
  public void resetPeaks() {
    synchronized (total) {
      System.arraycopy(live, 0, peaks, 0, QUANTITIES);
    }
    tags.resetPeaks();
  }

  @Override
  public String toString() {
    synchronized (total) {
      return "live " + Arrays.toString(live) + ", peaks " + Arrays.toString(peaks);
    }
  }
}
