package org.vramkit.pool.caching.internal.heap;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DeviceProperties;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;
import org.vramkit.pool.caching.internal.page.RangeVisitor;
import org.vramkit.pool.caching.internal.stats.ReservedMemory;
import org.vramkit.pool.caching.internal.stream.EventPool;
import org.vramkit.pool.caching.internal.stream.StreamProgress;
import org.vramkit.pool.support.Streams;

/**
 * The third tier: the free ranges of a device, split and merged, and the memory beneath them.
 *
 * <h2>Whose a free range is</h2>
 *
 * A range freed on a stream may still be used by that stream's queued work. Until the stream is
 * known to have passed (see {@link StreamProgress}) the range is <em>unsettled</em>: it lies in the
 * index of that stream, merges with neighbours of that stream only, and only that stream may take
 * it. Then it is <em>settled</em>: it lies in the shared index, merges with any settled neighbour,
 * any stream may take it, and the memory beneath may move or go back to the driver.
 *
 * <h2>Locks</h2>
 *
 * {@code lock} guards the links, sizes and places of all blocks, all free indexes and the table of
 * memory. It is held for searches and splits, never across a driver call. {@code growth}, which all
 * pools of an allocator share, makes one thread at a time take, move or give back memory, with the
 * driver calls that this needs; it is taken before {@code lock} and never while holding it. A block
 * that is being grown is already taken, so others go on beside it. Order: growth, lock; stripes,
 * shared caches and pending frees are locked under neither.
 */
public abstract class Heap extends FreeRanges {
  public final ReentrantLock growth;

  public final ReservedMemory books;

  /** Asked what nobody has taken; null where the driver does not tell. */
  private final @Nullable Device device;

  /** Bytes that the device has in all; {@link Long#MAX_VALUE} if unknown. */
  public final long totalBytes;

  /** How long it pays to wait for streams before memory is taken. */
  public final Patience patience;

  /** What may be created, and what may be spent to create less. */
  final Slack slack;

  /** That of {@link #slack}. */
  public final MoveTime moveTime;

  /**
   * What happens when memory is wanted. Made before anything is taken, so that no block is lost for
   * lack of it.
   */
  public static final class Growth {
    private @Nullable Block block;
    private @Nullable DeviceOutOfMemoryException refusal;

    /** What was got; null if nothing was. */
    public @Nullable Block block() {
      return block;
    }

    /** How the driver refused, if it did. */
    public @Nullable DeviceOutOfMemoryException refusal() {
      return refusal;
    }

    void got(@Nullable Block taken) {
      block = taken;
    }

    void refused(DeviceOutOfMemoryException by) {
      refusal = by;
    }
  }

  /**
   * Blocks on their way here whose bearer failed, because the JVM was out of memory, say: nobody
   * owns them, and they lie in no cache. Linked by {@code nextCached}.
   */
  private final AtomicReference<@Nullable Block> strays = new AtomicReference<>();

  /**
   * An empty one.
   *
   * @param device whose memory it takes; null for memory that nobody tells anything about, and of
   *     which each request shows what there is
   */
  Heap(
      ReservedMemory books,
      @Nullable Device device,
      Block.Table numbers,
      Patience patience,
      Slack slack) {
    super(numbers);
    this.slack = slack;
    this.moveTime = slack.moveTime();
    this.books = books;
    this.patience = patience;
    this.growth = books.growth;
    DeviceProperties properties = device == null ? null : device.getProperties();
    this.totalBytes = properties == null ? Long.MAX_VALUE : properties.totalMemoryBytes();
    // One that shares the host's memory tells less than it has: the host gives up file caches when
    // it is asked for more.
    this.device = properties == null || properties.integrated() ? null : device;
  }

  /** Bytes that nobody has taken; {@link Long#MAX_VALUE} where the driver does not tell. */
  public final long freeBytes() {
    if (device == null) {
      return Long.MAX_VALUE;
    }
    try {
      return device.getMemoryInfo().freeBytes();
    } catch (FatalDeviceException lost) {
      throw lost;
    } catch (GpuException untold) {
      // Whatever is asked of the driver next shows it as well.
      return Long.MAX_VALUE;
    }
  }

  /** Whether neither the device nor a limit is too small, whatever is free; asks no driver. */
  public final boolean mayEverHave(long size) {
    return size <= totalBytes && size <= Math.min(books.limit(), books.ownLimit());
  }

  /** A free block that the stream may take now without any driver call, or null. Locked. */
  abstract @Nullable Block find(StreamState owner, long size);

  /** Like {@link #find}, over neighbours that cannot merge yet where that does not. Locked. */
  abstract @Nullable Block findRun(StreamState owner, long size);

  /** Takes or moves memory so that a block can be had; transactional. */
  public abstract Growth grow(StreamState owner, long size);

  /** Gives settled memory back to the driver until at most so much is reserved. */
  public abstract long release(long keepBytes);

  /** Whether a block of this size may come from this free block. */
  abstract boolean mayTake(Block free, long size);

  /** Splits what is too much off a free block and takes it. Locked. */
  abstract Block takeFrom(Block free, long size);

  /** Gives settled memory back to the driver, at most so much. Under the growth lock. */
  abstract long giveBack(long mostBytes);

  /** Bytes reserved by this heap. Locked, under the growth lock. */
  abstract long reservedBytes();

  /** Gives everything back; nothing may be taken. */
  public abstract void close();

  /** Every segment, with its blocks; locked. */
  public abstract List<Segment> segments();

  /** Bytes of a free block that memory lies beneath. Locked. */
  public abstract long mappedBytes(Block free);

  /** Visits the parts of a free block that memory lies beneath, in order. Locked. */
  public abstract void eachMappedRange(Block free, RangeVisitor visitor);

  /** Bytes reserved that lie beneath no block. Locked. */
  public long unplacedBytes() {
    return 0;
  }

  /**
   * Gives settled memory of this heap back until at most so much is reserved by it, and never less;
   * counts it as decayed, also where the driver fails halfway.
   *
   * @return bytes given back
   */
  public final long decayTo(long keepBytes) {
    growth.lock();
    long before = books.held();
    try {
      long excess = excessAbove(keepBytes);
      return excess > 0 ? giveBack(excess) : 0;
    } finally {
      books.decayedBytes.add(before - books.held());
      growth.unlock();
    }
  }

  private long excessAbove(long keepBytes) {
    lock.lock();
    try {
      return reservedBytes() - keepBytes;
    } finally {
      lock.unlock();
    }
  }

  /** Visits every block, under the lock. */
  public final void eachBlock(Consumer<Block> visitor) {
    lock.lock();
    try {
      for (Segment segment : segments()) {
        for (Block block = segment.first; block != null; block = block.next) {
          visitor.accept(block);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** The block that holds a byte, or null. */
  public final @Nullable Block blockAt(long address) {
    lock.lock();
    try {
      for (Segment segment : segments()) {
        if (address >= segment.address && address < segment.address + segment.size) {
          for (Block block = segment.first; block != null; block = block.next) {
            if (address >= block.address && address < block.end()) {
              return block;
            }
          }
        }
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  /** Takes a free block that needs no driver call, or null. */
  public final @Nullable Block take(StreamState owner, long size) {
    lock.lock();
    try {
      return owned(find(owner, size), owner);
    } finally {
      lock.unlock();
    }
  }

  /** Takes a free block that no other could be much better than; null if it has to be sought. */
  public @Nullable Block takeGood(StreamState owner, long size) {
    return null;
  }

  /** How often to ask whether streams have come far enough, before so many pages are taken. */
  public int questionsFor(int pages) {
    return patience.questionsFor(pages);
  }

  /** Takes a free block, or else neighbouring ranges that fit together; slower. */
  public final @Nullable Block takeMerged(StreamState owner, long size) {
    lock.lock();
    try {
      Block block = find(owner, size);
      return owned(block == null ? findRun(owner, size) : block, owner);
    } finally {
      lock.unlock();
    }
  }

  /** What was taken, if anything was, is the stream's. Locked. */
  static @Nullable Block owned(@Nullable Block taken, StreamState owner) {
    if (taken != null) {
      taken.giveTo(owner);
    }
    return taken;
  }

  /**
   * Takes back blocks that nobody owns any more, linked by {@code nextCached}. Those that it cannot
   * free because the JVM is out of memory are freed by the next search.
   */
  public final void free(@Nullable Block first) {
    if (first != null) {
      settle(putAllBack(first));
    }
  }

  /** Returns the streams of these blocks that have ended. */
  private List<StreamState> putAllBack(Block first) {
    Block left = first;
    List<StreamState> ended = List.of();
    try {
      lockSurely();
      try {
        while (left != null) {
          Block rest = left.nextCached;
          ended = withEnded(ended, left.owner());
          putBack(left);
          left = rest;
        }
      } finally {
        lock.unlock();
      }
    } finally {
      keep(left);
    }
    return ended;
  }

  /** Keeps linked blocks until somebody comes who can carry them on. Needs no memory itself. */
  private void keep(@Nullable Block chain) {
    if (chain == null) {
      return;
    }
    Block last = chain;
    while (last.nextCached != null) {
      last = last.nextCached;
    }
    do {
      last.nextCached = strays.get();
    } while (!strays.compareAndSet(last.nextCached, chain));
  }

  /** Takes the lock also where the JVM has no memory for a queue of those who wait. */
  final void lockSurely() {
    try {
      lock.lock();
    } catch (OutOfMemoryError e) {
      while (!lock.tryLock()) {
        Thread.onSpinWait();
      }
    }
  }

  /** Takes back what could not be freed earlier. */
  public final void freeStrays() {
    if (strays.get() != null) {
      free(strays.getAndSet(null));
    }
  }

  private static List<StreamState> withEnded(List<StreamState> ended, StreamState owner) {
    if (!owner.ended || ended.contains(owner)) {
      return ended;
    }
    List<StreamState> more = new ArrayList<>(ended);
    more.add(owner);
    return more;
  }

  /**
   * Frees a taken block. It stays one where the JVM has no memory left. Locked.
   *
   * @throws OutOfMemoryError before anything has changed
   */
  final void putBack(Block block) {
    Block.Place place =
        block.epoch <= block.owner().progress.settled()
            ? Block.Place.SETTLED
            : Block.Place.UNSETTLED;
    prepare(block, place, 1);
    block.nextCached = null;
    block.requested = 0;
    block.account = null;
    block.place = place;
    insertMerged(block);
  }

  /** Whether a block of this size may be cut out of a larger one. */
  public abstract boolean maySplit(long size);

  /**
   * Keeps the part of a taken block that begins at a multiple of the alignment, and frees what lies
   * around it, in the order of its stream.
   *
   * @param size of the part, for which the block has room wherever it begins
   */
  public final Block cut(Block block, long alignment, long size) {
    lock.lock();
    try {
      long from = (block.address + alignment - 1) & -alignment;
      boolean front = from > block.address;
      boolean back = block.end() > from + size;
      Block middle = front ? block.segment.newPiece() : block;
      Block rest = back ? block.segment.newPiece() : block;
      block.owner().unsettled(block.segment.small).prepare(2);
      numbers.prepare();
      // From here on nothing needs memory of the JVM: no block is lost where it has none.
      if (front) {
        split(block, from - block.address, middle);
      }
      if (back) {
        freeAround(split(middle, size, rest));
      }
      if (front) {
        freeAround(block);
      }
      return taken(middle);
    } finally {
      lock.unlock();
    }
  }

  private void freeAround(Block piece) {
    piece.nextCached = null;
    piece.place = Block.Place.UNSETTLED;
    piece.epoch = piece.owner().progress.epoch();
    insertMerged(piece);
  }

  /** The streams that it pays to ask how far they have come before a block is taken. */
  public Collection<? extends StreamState> askedFirst(
      StreamState owner, long size, Collection<? extends StreamState> all) {
    return List.of();
  }

  /**
   * How many pieces of memory a growth would take from the driver now, that waiting for unsettled
   * ranges could save; 0 if none.
   */
  public abstract int shortage(StreamState owner, long size);

  /** Bytes that a growth for a block would take from the driver now, at least. */
  public abstract long bytesToTake(StreamState owner, long size);

  /** Settles what a stream had that was waited for. */
  public final void settleAwaited(StreamState heap) {
    books.synchronizations.increment();
    settlePassed(List.of(heap));
  }

  public final long unsettledBytes(StreamState heap) {
    lock.lock();
    try {
      long bytes = 0;
      for (boolean small : new boolean[] {true, false}) {
        for (Block block : heap.unsettled(small).copy()) {
          bytes += mappedBytes(block);
        }
      }
      return bytes;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes a block that another stream may still use, and makes the new stream wait for it.
   *
   * @return null if no other stream has one that is large enough
   */
  public final @Nullable Block steal(
      StreamState thief, long size, Collection<? extends StreamState> heaps, EventPool events) {
    if (heaps.stream().anyMatch(heap -> heap.progress.isUnasked())) {
      // An event between work that is captured and work that is not would spoil the capture.
      return null;
    }
    Block block;
    StreamState victim;
    lock.lock();
    try {
      Block best = null;
      for (StreamState heap : heaps) {
        Block fit = heap == thief ? null : bestToSteal(heap, size);
        if (fit != null && (best == null || fit.size < best.size)) {
          best = fit;
        }
      }
      if (best == null) {
        return null;
      }
      victim = best.owner();
      block = takeFrom(best, size);
    } finally {
      lock.unlock();
    }
    MemoryObserver observer = events.device().getMemoryObserver();
    observer.enterPool();
    try {
      Event event = events.take();
      try {
        if (isMarked(event, victim.stream)) {
          thief.stream.waitFor(event);
        }
      } finally {
        events.give(event);
      }
    } catch (RuntimeException | Error e) {
      free(block);
      throw e;
    } finally {
      observer.leavePool();
    }
    block.giveTo(thief);
    books.steals.increment();
    return block;
  }

  /** The best fit among what a stream may still use; null if it has none. Locked. */
  @Nullable Block bestToSteal(StreamState victim, long size) {
    return bestToTake(victim.unsettled(isSmall(size)), size);
  }

  final @Nullable Block bestToTake(FreeIndex index, long size) {
    for (Iterator<Block> fits = index.fits(size); fits.hasNext(); ) {
      Block fit = fits.next();
      if (mayTake(fit, size)) {
        return fit;
      }
    }
    return null;
  }

  /**
   * Marks a stream. One that another thread has closed just now cannot be marked, and its work is
   * waited for instead.
   */
  private static boolean isMarked(Event event, Stream stream) {
    try {
      Streams.requireOpen(stream);
      event.record(stream);
      return true;
    } catch (ClosedException e) {
      stream.getDevice().synchronize();
      return false;
    }
  }

  /** Which pool of the heap a block of this size comes from. */
  abstract boolean isSmall(long size);
}
