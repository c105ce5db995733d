package org.vramkit.pool.caching.internal.heap;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.Batch;
import org.vramkit.pool.caching.internal.stream.StreamProgress;

/**
 * The free ranges of a device: linked to their neighbours, kept by size, split and merged. What a
 * stream may still use lies in that stream's index and merges with ranges of that stream alone; all
 * else lies in the shared one, where it goes once its stream was asked and has passed. See {@link
 * Heap}.
 */
public abstract class FreeRanges {
  /**
   * Streams that are asked at once how far they have come before memory is taken. Each answer takes
   * as long as a tenth of a page: a program with more streams asks the others the next time.
   */
  public static final int MOST_ASKED = 32;

  public final ReentrantLock lock = new ReentrantLock();

  final Block.Table numbers;

  // Guarded by the lock.
  final StreamState.Unsettled unsettled = new StreamState.Unsettled();

  /** The most bytes that were needed at once since {@link #takeNeed}. Guarded by {@code lock}. */
  private long needed;

  /** The number of the last search. Guarded by {@code lock}. */
  private int searches;

  /**
   * Neighbouring free ranges that one stream may take together: its own unsettled ones and settled
   * ones beside and between them, which cannot merge yet. A run may be a single range. Valid while
   * the heap's lock is held.
   *
   * @param first the lowest range
   * @param size bytes of all of them
   */
  record FreeSpan(Block first, long size) {
    /**
     * A place for a block in such a run.
     *
     * @param missing pages without memory
     * @param sparing whether extents are cut for the sake of others
     */
    record Place(FreeSpan range, long address, int missing, boolean sparing) {}

    long end() {
      return first.address + size;
    }

    /** Whether nobody's work uses any of it. */
    boolean isSettled() {
      for (Block each = first; each != null && each.address < end(); each = each.next) {
        if (each.place != Block.Place.SETTLED) {
          return false;
        }
      }
      return true;
    }

    /**
     * The run around a free range that the stream may take, once in each search: null if a range of
     * the run was given before.
     *
     * @param search a number that the search before did not have
     */
    static @Nullable FreeSpan unseen(Block own, StreamState owner, int search) {
      if (own.search == search) {
        return null;
      }
      own.search = search;
      Block first = own;
      long end = own.end();
      // Settled ranges side by side are one: without unsettled ones there is nothing to add.
      if (!owner.unsettled(own.segment.small).isEmpty()) {
        for (Block left = own.previous; left != null && isFor(left, owner); left = left.previous) {
          left.search = search;
          first = left;
        }
        for (Block right = own.next; right != null && isFor(right, owner); right = right.next) {
          right.search = search;
          end = right.end();
        }
      }
      return new FreeSpan(first, end - first.address);
    }

    private static boolean isFor(Block block, StreamState owner) {
      return block.place == Block.Place.SETTLED
          || (block.place == Block.Place.UNSETTLED && block.heap == owner);
    }
  }

  FreeRanges(Block.Table numbers) {
    this.numbers = numbers;
  }

  /** Enters a settled range in the shared index. Locked. */
  abstract void enterSettled(Block range);

  /** Takes one out. Locked. */
  abstract void leaveSettled(Block range);

  /** Makes room for settled ranges, so that entering them needs no memory of the JVM. Locked. */
  abstract void prepareSettled(boolean small, int additions);

  /** The settled ranges, in any order; a copy. Locked. */
  public abstract List<Block> settledRanges();

  /** Whether a settled range may wait for a stream again. Locked. */
  abstract boolean mayAbsorb(Block range);

  /** Bytes of a free block that could go back to the driver if it were settled. Locked. */
  abstract long freeableBytes(Block block);

  /** Bytes of it that lie not in settled ranges as what could go back. Locked. */
  abstract long unreleasableBytes();

  /** A block leaves the heap. Locked. */
  void onTaken(Block block) {}

  /** What was settled may be used by a stream again. Locked. */
  void onAbsorbed(Block range) {}

  /**
   * Addresses became free of use. Locked.
   *
   * @param range which they are a part of by now, not entered yet
   */
  void onSettled(long address, long end, Block range) {}

  /** A number for a search, see {@link FreeSpan#unseen}. Locked. */
  final int nextSearch() {
    return ++searches;
  }

  /** The most bytes that were needed at once since this was last asked. */
  public final long takeNeed() {
    lock.lock();
    try {
      noteNeed();
      long most = needed;
      needed = neededBytes();
      return most;
    } finally {
      lock.unlock();
    }
  }

  /** More may be needed than ever since {@link #takeNeed}. Locked. */
  final void noteNeed() {
    needed = Math.max(needed, neededBytes());
  }

  /** What an idle stream has freed is not needed, though it was not asked since. */
  private long neededBytes() {
    return unreleasableBytes() - unsettled.idleBytes();
  }

  /**
   * Takes a part out of a free block that is in its index; what is left and right of it stays free.
   */
  final Block carve(Block free, long address, long size) {
    Block taken = address > free.address ? free.segment.newPiece() : free;
    Block rest = free.end() > address + size ? free.segment.newPiece() : free;
    prepare(free, free.place, 2);
    numbers.prepare();
    // From here on nothing needs memory of the JVM: no block is lost where it has none.
    remove(free);
    if (taken != free) {
      taken = split(free, address - free.address, taken);
      insert(free);
    }
    if (rest != free) {
      insert(split(taken, size, rest));
    }
    return taken(taken);
  }

  /** Takes a part of a run; what is left and right of it stays as free as it was. Locked. */
  final Block carveRun(FreeSpan run, long address, long size) {
    long end = address + size;
    Block each = run.first();
    while (each.end() <= address) {
      each = next(each);
    }
    Block middle = each.address < address ? each.segment.newPiece() : each;
    Block rest = run.end() > end ? each.segment.newPiece() : each;
    for (Block piece = each; piece != null && piece.address < end; piece = piece.next) {
      prepare(piece, piece.place, 2);
    }
    numbers.prepare();
    // From here on nothing needs memory of the JVM: no block is lost where it has none.
    remove(each);
    if (each.address < address) {
      middle = split(each, address - each.address, middle);
      insert(each);
    }
    Block taken = middle;
    cutAt(taken, end, rest);
    while (taken.end() < end) {
      Block right = next(taken);
      remove(right);
      cutAt(right, end, rest);
      join(taken, right);
    }
    return taken(taken);
  }

  /** Gives what lies beyond an address back to the index that the piece came from. */
  private void cutAt(Block piece, long end, Block rest) {
    if (piece.end() > end) {
      insert(split(piece, end - piece.address, rest));
    }
  }

  /** A block leaves the heap. */
  final Block taken(Block block) {
    block.place = Block.Place.TAKEN;
    numbers.give(block);
    onTaken(block);
    noteNeed();
    return block;
  }

  private static Block next(Block block) {
    Block next = block.next;
    if (next == null) {
      throw new IllegalStateException("a run ends before its size");
    }
    return next;
  }

  /**
   * Enters a free block, merged with what it can be merged with. Its index has room for one that
   * comes back; for any other the caller {@link FreeIndex#prepare prepares} it.
   */
  final void insertMerged(Block block) {
    long from = block.address;
    long to = block.end();
    Block merged = block;
    Block before = merged.previous;
    if (before != null && (merges(before, merged) || absorbs(merged, before))) {
      remove(before);
      merged = join(like(merged, before), merged);
    }
    Block after = merged.next;
    if (after != null && (merges(merged, after) || absorbs(merged, after))) {
      remove(after);
      merged = join(merged, like(merged, after));
    }
    if (merged.place == Block.Place.SETTLED) {
      onSettled(from, to, merged);
    }
    insert(merged);
  }

  /**
   * Whether a range that a stream may still use is to have a settled neighbour's memory too, which
   * then waits for that stream as well: so the ranges of one that was idle when it was last asked
   * are one at once, and no question is needed.
   */
  private boolean absorbs(Block free, Block neighbour) {
    return free.place == Block.Place.UNSETTLED
        && neighbour.place == Block.Place.SETTLED
        && !free.owner().progress.isBehind()
        && mayAbsorb(neighbour);
  }

  /** A neighbour that is as free as a range: where it was settled, it waits for the stream too. */
  private Block like(Block range, Block neighbour) {
    if (neighbour.place != range.place) {
      onAbsorbed(neighbour);
      neighbour.place = range.place;
      neighbour.heap = range.heap;
      // An epoch of another stream says nothing of this one.
      neighbour.epoch = range.epoch;
    }
    return neighbour;
  }

  private static boolean merges(Block left, Block right) {
    return left.place == right.place
        && switch (left.place) {
          case SETTLED -> true;
          case UNSETTLED -> left.heap == right.heap;
          case TAKEN, STALE -> false;
        };
  }

  private Block join(Block left, Block right) {
    left.size += right.size;
    left.epoch = Math.max(left.epoch, right.epoch);
    left.next = right.next;
    if (right.next != null) {
      right.next.previous = left;
    }
    right.place = Block.Place.TAKEN;
    numbers.takeBack(right);
    right.segment.end(right);
    return left;
  }

  final void insert(Block block) {
    if (block.place == Block.Place.SETTLED) {
      enterSettled(block);
    } else {
      StreamState owner = block.owner();
      owner.unsettled(block.segment.small).add(block);
      unsettled.entered(owner, freeableBytes(block));
    }
  }

  final void remove(Block block) {
    if (block.place == Block.Place.SETTLED) {
      leaveSettled(block);
    } else {
      StreamState owner = block.owner();
      owner.unsettled(block.segment.small).remove(block);
      unsettled.left(owner, freeableBytes(block));
    }
  }

  /** Makes room for pieces of a block, or for itself, so that entering them needs no memory. */
  final void prepare(Block block, Block.Place place, int additions) {
    boolean small = block.segment.small;
    if (place == Block.Place.SETTLED) {
      prepareSettled(small, additions);
    } else {
      block.owner().unsettled(small).prepare(additions);
    }
  }

  /** Cuts a block in two; the upper one is as free as the lower. Returns it. */
  static Block split(Block block, long lowerSize, Block upper) {
    upper.address = block.address + lowerSize;
    upper.size = block.size - lowerSize;
    upper.place = block.place;
    upper.heap = block.heap;
    upper.epoch = block.epoch;
    upper.previous = block;
    upper.next = block.next;
    if (block.next != null) {
      block.next.previous = upper;
    }
    block.next = upper;
    block.size = lowerSize;
    return upper;
  }

  // ---- questions: chosen under the lock, asked without it, settled under it again ----

  /** Asks the driver how far streams have come, and settles what they have passed. */
  public final boolean settle(Collection<? extends StreamState> streams) {
    return ask(streams, StreamState::isToPass, StreamProgress::advance);
  }

  /**
   * Asks streams that have unsettled ranges, {@link #MOST_ASKED} at most: where there are more,
   * those first that were not asked for longest. Settles what they have passed.
   */
  public final boolean settleSome(Collection<? extends StreamState> streams) {
    boolean few = streams.size() <= MOST_ASKED || countUnsettled() <= MOST_ASKED;
    return few ? settle(streams) : askOldest(MOST_ASKED, StreamProgress::advance);
  }

  /** The same by marks that were set earlier, where there are any. */
  public final boolean settleMarks(Collection<? extends StreamState> all, int most) {
    return countUnsettled() > most
        ? askOldest(most, StreamProgress::askAgainOrAdvance)
        : ask(all, StreamState::hasUnsettled, StreamProgress::askAgain);
  }

  /** How many streams have unsettled ranges. */
  public final int countUnsettled() {
    lock.lock();
    try {
      return unsettled.count();
    } finally {
      lock.unlock();
    }
  }

  public final boolean hasUnsettled(StreamState heap) {
    return holds(heap, StreamState::hasUnsettled);
  }

  /** Whether a stream has to pass something, and may be asked and waited for now. */
  public final boolean isAwaitable(StreamState heap) {
    return holds(heap, StreamState::isToPass) && !heap.progress.isUnasked();
  }

  private boolean holds(StreamState heap, Predicate<StreamState> condition) {
    lock.lock();
    try {
      return condition.test(heap);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Asks some of these streams.
   *
   * @param which those for which this holds under the lock
   * @return whether anything was settled
   */
  private boolean ask(
      Collection<? extends StreamState> streams,
      Predicate<StreamState> which,
      Consumer<StreamProgress> question) {
    return !streams.isEmpty() && ask(chosen(streams, which), question);
  }

  /** Asks the streams with unsettled ranges that were not asked for longest. */
  private boolean askOldest(int most, Consumer<StreamProgress> question) {
    return ask(oldest(most), question);
  }

  private boolean ask(List<StreamState> asked, Consumer<StreamProgress> question) {
    try {
      for (StreamState each : asked) {
        question.accept(each.progress);
      }
    } catch (RuntimeException | Error e) {
      // What the others have passed is not to wait for one that cannot be asked.
      Batch.after(e, () -> settlePassed(asked));
      throw e;
    }
    return !asked.isEmpty() && settlePassed(asked);
  }

  private List<StreamState> chosen(
      Collection<? extends StreamState> streams, Predicate<StreamState> which) {
    List<StreamState> chosen = new ArrayList<>(streams.size());
    lock.lock();
    try {
      for (StreamState each : streams) {
        if (which.test(each)) {
          chosen.add(each);
        }
      }
    } finally {
      lock.unlock();
    }
    return chosen;
  }

  /** The oldest go to the end. */
  private List<StreamState> oldest(int most) {
    List<StreamState> oldest = new ArrayList<>(most);
    lock.lock();
    try {
      for (int left = Math.min(most, unsettled.count()); left > 0; left--) {
        oldest.add(requireNonNull(unsettled.next()));
      }
    } finally {
      lock.unlock();
    }
    return oldest;
  }

  /** Settles what these streams are known to have passed. */
  final boolean settlePassed(List<StreamState> streams) {
    boolean any = false;
    lock.lock();
    try {
      for (StreamState each : streams) {
        unsettled.noteAsked(each);
        any |= settlePassed(each, each.unsettledSmall);
        any |= settlePassed(each, each.unsettledLarge);
      }
    } finally {
      lock.unlock();
    }
    return any;
  }

  private boolean settlePassed(StreamState stream, FreeIndex free) {
    boolean any = false;
    long passed = stream.progress.settled();
    for (Block block : free.copy()) {
      // A block that merged into an earlier one of this loop is free no more.
      if (block.place == Block.Place.UNSETTLED && block.epoch <= passed) {
        prepare(block, Block.Place.SETTLED, 1);
        remove(block);
        block.place = Block.Place.SETTLED;
        insertMerged(block);
        any = true;
      }
    }
    return any;
  }

  // ---- links and indexes, locked ----

  /** The last block of a segment, whose memory goes back. */
  final void end(Block block) {
    numbers.takeBack(block);
  }
}
