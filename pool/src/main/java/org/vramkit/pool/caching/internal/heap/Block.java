package org.vramkit.pool.caching.internal.heap;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.caching.internal.stats.TagAccount;
import org.vramkit.pool.support.Padded;
import org.vramkit.pool.support.StreamProgress;
import org.vramkit.pool.support.Streams;

/**
 * A block of a region. It is either owned (by a caller, a cache, or the pending frees), and only
 * its owner accesses the fields under "owner"; or free in the heap, which accesses them under its
 * lock. The links to its neighbours always belong to the heap.
 *
 * <p>Padded against false sharing: the thread that takes a block writes to it, and the next block
 * in memory may belong to another thread. Two threads that replace blocks of one stream lost a
 * fifth of their speed to it.
 */
public final class Block extends Padded {
  /** The state of a block in snapshots; its owner decides. */
  public enum State {
    LIVE,
    PENDING,
    CACHED,
    FREE
  }

  /** The place of a block in the heap. */
  public enum Place {
    /** Owned outside of the free index. */
    TAKEN,
    /** Free, but work of its stream may still use it: only that stream may take it. */
    UNSETTLED,
    /** Free and used by no work: any stream may take it. */
    SETTLED,
    /** Free addresses that no memory lies beneath. */
    HOLE,
    /** Addresses that cannot be used until the driver unmaps what a failed growth left there. */
    STUCK,
    /** Free addresses whose memory is away as long as the pool is suspended. */
    AWAY
  }

  // What a hit touches stands first among fields of its size: it shares a line or two in HotSpot.
  // Heap: guarded by the heap's lock.
  public long address;
  public long size;

  // Owner.

  /** The requested bytes; 0 unless live. */
  public long requested;

  /** The epoch of its stream in which it was freed: see {@link StreamProgress}. */
  public long epoch;

  /** Its number, or 0: see {@link Table}. */
  public int number;

  /** The number of the next in a cache's list; 0 for none. */
  public int nextNumber;

  /** Stays while it has a user. */
  public @Nullable BlockHome home;

  /** The account of its tag; null if the close only has to free it. */
  public @Nullable TagAccount account;

  private @Nullable List<Stream> uses;

  /** Called with the close of its handle, under the lock of its home; null if none is tracked. */
  public @Nullable Runnable watch;

  @Nullable StreamState heap;

  /** Next of several that move from one tier to the next. */
  public @Nullable Block nextCached;

  /** Closed, and waiting for streams that use it. */
  boolean pending;

  /** Set while memory of it is away: see {@link Suspension}. Guarded by the heap's lock. */
  boolean away;

  // Heap: guarded by the heap's lock.
  public final Region region;
  @Nullable Block previous;
  public @Nullable Block next;
  public Place place = Place.TAKEN;

  /** Bytes of the chunks that lie wholly beneath it, while it is in an index of free blocks. */
  long wholeBytes;

  /** The last search that looked at it: see {@link Region.Span#around}. */
  int search;

  Block(Region region, long address, long size) {
    this.region = region;
    this.address = address;
    this.size = size;
  }

  /** Returns the state, as far as it can be read without a lock. */
  public State state() {
    if (place != Place.TAKEN) {
      return State.FREE;
    }
    if (pending) {
      return State.PENDING;
    }
    return requested > 0 ? State.LIVE : State.CACHED;
  }

  /**
   * Returns whether its address is a multiple of an alignment.
   *
   * @param alignment a power of two
   */
  public boolean isAligned(long alignment) {
    return (address & (alignment - 1)) == 0;
  }

  /** Returns whether it is memory that may be used, now or later. Called under the lock. */
  public boolean isMemory() {
    return place != Place.HOLE && place != Place.STUCK && place != Place.AWAY;
  }

  public long end() {
    return address + size;
  }

  /** Returns whether its memory is away while a user has it. Locked. */
  public boolean isAway() {
    return away;
  }

  public StreamState owner() {
    StreamState owner = heap;
    if (owner == null) {
      throw new IllegalStateException("block at 0x" + Long.toHexString(address) + " has no stream");
    }
    return owner;
  }

  /**
   * It is a stream's from now on. Until that passes what it was given so far, it is not settled
   * again: the epoch that it had was perhaps another stream's.
   */
  void giveTo(StreamState owner) {
    heap = owner;
    epoch = owner.progress.epoch();
  }

  /** Returns whether it belongs to a stream; a segment that returns to the driver may not. */
  public boolean hasOwner() {
    return heap != null;
  }

  /** The tag that it is counted under while it has a user; empty if none. */
  public String tag() {
    TagAccount counting = account;
    return counting == null ? "" : counting.tag();
  }

  /** Returns whether other streams were recorded; read by the closing thread, after the records. */
  public boolean isUsedElsewhere() {
    return uses != null;
  }

  public synchronized void addUse(Stream stream) {
    List<Stream> more = uses == null ? new ArrayList<>(2) : uses;
    Streams.addTo(more, stream);
    uses = more;
    if (account == null) {
      account = TagAccount.NONE;
    }
  }

  synchronized List<Stream> uses() {
    return uses == null ? List.of() : uses;
  }

  synchronized void clearUses() {
    uses = null;
  }

  /**
   * Numbers of blocks. Caches link blocks by number, because writing a reference has a GC barrier,
   * which costs more under G1 than the rest of a hit.
   *
   * <p>A block gets its number when it leaves the heap, and loses it with its end. Both happen
   * under the heap's lock, so no cache waits for a number. The owner of a block looks it up without
   * a lock.
   */
  public static final class Table {
    private static final int FIRST_ROOM = 1 << 8;

    // By number; 0 stands for no block. Grows by copying, so an owner finds its blocks in any copy.
    private volatile Block[] blocks = new Block[FIRST_ROOM];

    /** Numbers taken back. */
    private int[] unused = new int[FIRST_ROOM];

    private int unusedCount;
    private int next = 1;

    /** The block of a number that was given and not taken back. */
    public Block get(int number) {
      return blocks[number];
    }

    /** Numbers a block that has no number yet. */
    public void give(Block block) {
      if (block.number == 0) {
        if (unusedCount == 0 && next == blocks.length) {
          unused = Arrays.copyOf(unused, 2 * next);
          blocks = Arrays.copyOf(blocks, 2 * next);
        }
        int number = unusedCount > 0 ? unused[--unusedCount] : next++;
        blocks[number] = block;
        block.number = number;
      }
    }

    /** The block ends here: it merged into another one, or its memory went back. */
    @SuppressWarnings("NullAway") // between two owners a number means nothing
    void takeBack(Block block) {
      if (block.number != 0) {
        blocks[block.number] = null;
        unused[unusedCount++] = block.number;
        block.number = 0;
      }
    }
  }
}
