package org.vramkit.pool.caching.internal.stats;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.support.Padded;

/**
 * What a stripe has claimed of {@link LiveUsage}, the figure that all threads share and that peaks
 * are of. Guarded by the stripe's lock.
 *
 * <p>A claim is never below what is live, and its stripe uses it alone. One that keeps the figure
 * below its peak changes no peak, so it may run ahead; and what is freed stays claimed. One that
 * would raise the peak is as small as can be, and before it all stripes give back what they have
 * claimed and not used. So peaks are exact while one thread at a time is inside the allocator. A
 * stripe that another thread uses at that moment keeps its claims; then peaks may be too high by
 * these, at most two chunks for each stripe, in bytes of either kind and in blocks.
 *
 * <p>Threads that meet like that often claim ahead of the peak too, up to a chunk at a time: they
 * would meet at the figure again and again.
 */
public final class Claims extends Padded {
  /** How often a chunk ahead of the peak doubles before it is a whole one. */
  private static final int DOUBLINGS = 10;

  /** By how many of these a meeting brings it on. A claim that meets nobody takes one back. */
  private static final int DOUBLINGS_FOR_MEETING = 4;

  /** The lock of a stripe, for those who have another one's. */
  public interface Lock {
    /** Takes it, unless it is taken. */
    boolean tryLock();

    void unlock();
  }

  /** Of each quantity so much. */
  static final class Amounts {
    long requested;
    long allocated;
    long count;
  }

  private final LiveUsage gauge;
  private final ThreadCacheStatistics books;
  private final Lock lock;
  private final Amounts claimed = new Amounts();
  private final long chunkBytes;

  /** Whether it is in {@link Unused}; if not, all that is claimed is live. */
  private boolean listed;

  /** The next one there. */
  private @Nullable Claims olderListed;

  /** Of the same gauge; had something to spare when this stripe asked last. */
  private @Nullable Claims giver;

  /** How often the chunk ahead of the peak has aliased; 0 for none. */
  private int doublings;

  Claims(LiveUsage gauge, ThreadCacheStatistics books, Lock lock) {
    this.gauge = gauge;
    this.books = books;
    this.lock = lock;
    this.chunkBytes = gauge.chunkBytes();
  }

  /** More is live than ever, or than is claimed. */
  void cover() {
    long requested = books.requested() - claimed.requested;
    long allocated = books.allocated() - claimed.allocated;
    long count = books.count() - claimed.count;
    if (requested <= 0 && allocated <= 0 && count <= 0) {
      setBand();
    } else if (gauge.hasRoom(requested, allocated, count)) {
      claimWithin(0, 0);
    } else if (!takeOver(Math.max(0, requested), Math.max(0, allocated), Math.max(0, count))) {
      boolean alone = gauge.unused.collect(this);
      int more = alone ? -1 : DOUBLINGS_FOR_MEETING;
      doublings = Math.max(0, Math.min(DOUBLINGS, doublings + more));
      claimWithin(ahead(chunkBytes), ahead(gauge.chunkCount()));
    }
  }

  private long ahead(long chunk) {
    return doublings == 0 ? 0 : chunk >> (DOUBLINGS - doublings);
  }

  /** Claims what is live and something ahead: below the peak some of the room, else so much. */
  private void claimWithin(long aheadBytes, long aheadCount) {
    long requested = gauge.requestedRoom() + claimed.requested - books.requested();
    long allocated = gauge.allocatedRoom() + claimed.allocated - books.allocated();
    long count = gauge.countRoom() + claimed.count - books.count();
    claim(
        Math.max(aheadBytes, Math.min(chunkBytes, requested / 2)),
        Math.max(aheadBytes, Math.min(chunkBytes, allocated / 2)),
        Math.max(aheadCount, Math.min(gauge.chunkCount(), count / 2)));
  }

  /**
   * Takes over what the giver has to spare: nobody else has to know.
   *
   * @return false if it is not enough
   */
  private boolean takeOver(long requested, long allocated, long count) {
    Claims from = giver;
    if (from == null || !from.lock.tryLock()) {
      return false;
    }
    try {
      boolean enough =
          from.claimed.requested - from.books.requested() >= requested
              && from.claimed.allocated - from.books.allocated() >= allocated
              && from.claimed.count - from.books.count() >= count;
      if (enough) {
        from.move(-requested, -allocated, -count);
        move(requested, allocated, count);
      }
      return enough;
    } finally {
      from.lock.unlock();
    }
  }

  private void move(long requested, long allocated, long count) {
    claimed.requested += requested;
    claimed.allocated += allocated;
    claimed.count += count;
    setBand();
  }

  /** Less is live than what is claimed has to be: it is told, and bounded. */
  void giveBackExcess(long freed) {
    list();
    long requested = claimed.requested - books.requested();
    long allocated = claimed.allocated - books.allocated();
    long count = claimed.count - books.count();
    if (requested > 2 * chunkBytes
        || allocated > 2 * chunkBytes
        || count > 2 * gauge.chunkCount()) {
      // A block of up to two chunks keeps its claim: its next user touches no gauge.
      long kept = Math.max(chunkBytes, Math.min(2 * chunkBytes, freed));
      claim(
          Math.min(kept, requested),
          Math.min(kept, allocated),
          Math.min(gauge.chunkCount(), count));
    } else {
      setBand();
    }
  }

  /** A block that is not live any more is active still. */
  void discharge(long size) {
    claimed.allocated -= size;
    gauge.closedAndPending(size);
    list();
    setBand();
  }

  void settle() {
    claim(0, 0, 0);
  }

  /**
   * Settles for another stripe that asks, and is on no list any more.
   *
   * @return false if its stripe is in use
   */
  boolean trySettleFor(@Nullable Claims asking) {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      listed = false;
      settle();
    } finally {
      lock.unlock();
    }
    if (asking != null && asking.gauge == gauge) {
      asking.giver = this;
    }
    return true;
  }

  /** It is on no list any more; its claims follow. */
  void unlisted() {
    listed = false;
  }

  /** Nobody uses the stripe any more. */
  void end() {
    giver = null;
    settle();
  }

  /** Makes claims exceed what is live by so much. */
  private void claim(long requestedAhead, long allocatedAhead, long countAhead) {
    long requested = books.requested() + requestedAhead;
    long allocated = books.allocated() + allocatedAhead;
    long count = books.count() + countAhead;
    gauge.add(requested - claimed.requested, allocated - claimed.allocated, count - claimed.count);
    claimed.requested = requested;
    claimed.allocated = allocated;
    claimed.count = count;
    if ((requestedAhead | allocatedAhead | countAhead) != 0) {
      list();
    }
    setBand();
  }

  private void list() {
    if (!listed) {
      listed = true;
      gauge.unused.add(this);
    }
  }

  private void setBand() {
    books.setBand(claimed, listed ? 2 * chunkBytes : 0, listed ? 2 * gauge.chunkCount() : 0);
  }

  /**
   * Stripes that may have claimed more than is live: whom to ask before a peak is raised. A stack
   * of the claims themselves, because a close must not need memory of the JVM. Any thread adds, one
   * at a time takes.
   */
  public static final class Unused {
    private final AtomicReference<@Nullable Claims> newest = new AtomicReference<>();
    private final AtomicBoolean collecting = new AtomicBoolean();

    /** Adds what is not here. */
    void add(Claims claims) {
      Claims older;
      do {
        older = newest.get();
        claims.olderListed = older;
      } while (!newest.compareAndSet(older, claims));
    }

    /**
     * Has stripes give back what they have claimed and not used, until it comes to one in use.
     *
     * @param asking claims whose lock the caller has, and which follow
     * @return false if a stripe is in use, or another thread collects just now
     */
    boolean collect(Claims asking) {
      if (newest.get() == null) {
        return true;
      }
      if (!collecting.compareAndSet(false, true)) {
        return false;
      }
      try {
        for (Claims each = take(); each != null; each = take()) {
          if (each == asking) {
            each.unlisted();
          } else if (!each.trySettleFor(asking)) {
            add(each);
            return false;
          }
        }
        return true;
      } finally {
        collecting.set(false);
      }
    }

    /** The same for all that are not in use, so that none stays here that ends. */
    public void sweep() {
      if (!collecting.compareAndSet(false, true)) {
        return;
      }
      try {
        Claims each = newest.getAndSet(null);
        while (each != null) {
          Claims older = each.olderListed;
          each.olderListed = null;
          if (!each.trySettleFor(null)) {
            add(each);
          }
          each = older;
        }
      } finally {
        collecting.set(false);
      }
    }

    /** Takes the newest; null if there is none. */
    private @Nullable Claims take() {
      Claims first;
      do {
        first = newest.get();
      } while (first != null && !newest.compareAndSet(first, first.olderListed));
      if (first != null) {
        first.olderListed = null;
      }
      return first;
    }
  }
}
