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
 * A block of a region. A block is either owned by a caller, a cache or the pending frees, or free
 * in the heap. The fields under "owner" are accessed by the owner alone, or, for a free block, by
 * the heap under its lock. They are plain, because ownership passes through a lock. The links to
 * the neighbours always belong to the heap.
 *
 * <p>Padded against false sharing: the thread that takes a block writes to it, and the next block
 * in memory may belong to another thread. False sharing cost two threads that replaced blocks of
 * one stream a fifth of their speed.
 */
public final class Block extends Padded {
  public enum State {
    LIVE,
    PENDING,
    CACHED,
    FREE
  }

  public enum Place {
    /** Owned by a caller, a cache or the pending frees, and in no free index. */
    TAKEN,
    /** Free, but work of its stream may still use it: only that stream may take it. */
    UNSETTLED,
    /** Free and used by no work: any stream may take it. */
    SETTLED,
    /** Free addresses without memory. */
    HOLE,
    /**
     * Addresses of a chunk that a failed growth mapped and could not unmap. Unusable until a later
     * unmap succeeds.
     */
    STUCK,
    /** Free addresses without memory, because the pool is suspended. */
    SUSPENDED
  }

  // HotSpot orders fields by size, then by declaration. The fields of a hit come first, so that
  // they share a cache line or two.
  // Heap: guarded by the heap's lock.
  public long address;
  public long size;

  // Owner.

  /** The requested bytes; 0 unless live. */
  public long requested;

  /** The epoch of its stream in which the block was freed: see {@link StreamProgress}. */
  public long epoch;

  /** The number in the {@link Table}; 0 for none. */
  public int number;

  /** The number of the next block in a cache's list; 0 for none. */
  public int nextNumber;

  /**
   * The thread cache that frees return the block to, which the heap only keeps. Does not change
   * while a caller holds the block.
   */
  public @Nullable Object cache;

  /** The account of the block's tag; null if a close has nothing to do but to free the block. */
  public @Nullable TagAccount account;

  private @Nullable List<Stream> uses;

  /**
   * The tracker of the handle; null if it is not tracked. Guarded by the lock of {@link #cache}.
   */
  public @Nullable Object watch;

  /** True if the handle was dropped without a close, so that no caller can close the block. */
  public volatile boolean leaked;

  @Nullable StreamState streamState;

  /**
   * The next block of a list of pending blocks, or of blocks that move between a cache and the
   * heap.
   */
  public @Nullable Block nextCached;

  /** True if the block is closed and waits for streams that use it. */
  boolean pending;

  /**
   * True if a part of its memory is suspended: see {@link SuspendedMemory}. Guarded by the heap's
   * lock.
   */
  boolean suspended;

  // Heap: guarded by the heap's lock.
  public final Region region;
  @Nullable Block previous;
  public @Nullable Block next;
  public Place place = Place.TAKEN;

  /** The number of the last search that visited the block: see {@link Region.Span#around}. */
  int search;

  Block(Region region, long address, long size) {
    this.region = region;
    this.address = address;
    this.size = size;
  }

  /** Returns the state. Without a lock, the state may be out of date. */
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
   * Returns whether the address is a multiple of {@code alignment}.
   *
   * @param alignment a power of two
   */
  public boolean isAligned(long alignment) {
    return (address & (alignment - 1)) == 0;
  }

  /**
   * Returns whether the block has memory that can be used, now or later. Called under the heap's
   * lock.
   */
  public boolean isMemory() {
    return place != Place.HOLE && place != Place.STUCK && place != Place.SUSPENDED;
  }

  public long end() {
    return address + size;
  }

  /** Returns whether a part of its memory is suspended. Called under the heap's lock. */
  public boolean isSuspended() {
    return suspended;
  }

  public StreamState owner() {
    StreamState owner = streamState;
    if (owner == null) {
      throw new IllegalStateException("block at 0x" + Long.toHexString(address) + " has no stream");
    }
    return owner;
  }

  /**
   * Assigns the block to a stream, with the stream's current epoch. An epoch of the previous stream
   * would say nothing about the new one.
   */
  void giveTo(StreamState owner) {
    streamState = owner;
    epoch = owner.progress.epoch();
  }

  /**
   * Returns whether the block belongs to a stream; memory that no stream has taken yet does not.
   */
  public boolean hasOwner() {
    return streamState != null;
  }

  /** Returns the tag under which the block is counted; empty if there is none. */
  public String tag() {
    TagAccount counting = account;
    return counting == null ? "" : counting.tag();
  }

  /**
   * Returns whether uses by other streams were recorded. Called at the close, when no record
   * follows.
   */
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
    return uses == null ? List.of() : List.copyOf(uses);
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
    static final int FIRST_ROOM = 1 << 8;

    // By number; 0 is no block. Grows by copying, so an owner finds its blocks in any copy.
    private volatile Block[] blocks = new Block[FIRST_ROOM];

    /** Numbers that were taken back, for reuse. */
    private int[] unused = new int[FIRST_ROOM];

    private int unusedCount;
    private int next = 1;

    public Block get(int number) {
      return blocks[number];
    }

    /** Gives a block a number, unless it has one. */
    public void give(Block block) {
      if (block.number == 0) {
        if (unusedCount == 0 && next == blocks.length) {
          unused = Arrays.copyOf(unused, 2 * next);
          blocks = Arrays.copyOf(blocks, 2 * next);
        }
        int number = unusedCount > 0 ? unused[--unusedCount] : next++;
        assert number > 0;
        blocks[number] = block;
        block.number = number;
      }
    }

    /**
     * Takes back the number of a block that merged into another one, or whose memory returned to
     * the driver.
     */
    @SuppressWarnings("NullAway") // no owner reads a number that is not in use
    void takeBack(Block block) {
      if (block.number != 0) {
        blocks[block.number] = null;
        unused[unusedCount++] = block.number;
        block.number = 0;
      }
    }
  }
}
