package org.vramkit.pool.caching.internal.heap;

import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.internal.heap.FreeRanges.FreeSpan;
import org.vramkit.pool.caching.internal.heap.FreeRanges.FreeSpan.Place;
import org.vramkit.pool.caching.internal.page.PageTable;

/**
 * Where a block goes while memory is plenty: into the memory that lies there and fits it best, and
 * if none does, to where fewest pages are missing. Under the heap's lock.
 *
 * <p>Small blocks and large ones have addresses of their own, and turn to the others' only where
 * their own are used up.
 *
 * <p>A stream that keeps apart from others takes its own free memory first, however much better
 * another's fits: what it frees nobody else may have soon, and what it takes from others neither.
 *
 * <p>Among fits of nearly one size, one is better that pins fewer extents: those of which nothing
 * else is in use can move as a whole. On recorded programs that spares half of the memory that best
 * fit alone keeps in parts of extents.
 */
final class FitSearch {
  /**
   * A range is of nearly the same size if it is larger than the best fit by one part in so many.
   */
  private static final int NEAR_PARTS = 10;

  /** Fits of nearly one size that are compared. */
  private static final int NEAR = 16;

  /** Own ranges, and neighbours of own ranges, that are looked at. */
  private static final int OWN = 16;

  /** Ranges and pieces of memory that are looked at for a place to lay more. */
  private static final int PLACES = 32;

  private final PageHeap heap;
  private final PageTable table;
  private final StreamState owner;
  private final long size;

  /** Whether the stream keeps apart from others, see {@link PageHeap#isApart}. */
  private final boolean apart;

  private boolean small;
  private int number;

  /** Untouched addresses in none but others' regions. */
  private @Nullable FreeSpan elsewhere;

  private @Nullable FreeSpan range;
  private long address;
  private long rangeSize;
  private int cost = Integer.MAX_VALUE;
  private long leastFit = Long.MAX_VALUE;

  FitSearch(PageHeap heap, StreamState owner, long size) {
    this.heap = heap;
    this.table = heap.table;
    this.owner = owner;
    this.size = size;
    this.apart = heap.isApart(owner);
    this.small = heap.isSmall(size);
  }

  private @Nullable Place best(int missing) {
    return range == null ? null : new Place(range, address, missing, false);
  }

  // ---- what lies there ----

  /** The best fit that has all its memory; null if there is none. */
  @Nullable Place lying() {
    Place best = lyingOfKind();
    if (best == null && heap.settled.isUsedUp(small, size)) {
      small = !small;
      best = lyingOfKind();
    }
    return best;
  }

  /** Bytes of the least range that {@link #lying} came by; {@link Long#MAX_VALUE} if none. */
  long leastFit() {
    return leastFit;
  }

  private @Nullable Place lyingOfKind() {
    FreeIndex own = owner.unsettled(small);
    FreeIndex.Walk pieces = heap.settled.pieces(small).fits(size);
    long bestOwn = own.isEmpty() ? Long.MAX_VALUE : offerOwn(own.fits(size));
    leastFit = Math.min(leastFit, pieces.nextSize());
    if (bestOwn == Long.MAX_VALUE || !apart) {
      offerPieces(pieces, bestOwn);
    }
    if (range == null && !own.isEmpty()) {
      number = heap.nextSearch();
      offerNeighbours(own.below(size));
    }
    return best(0);
  }

  /** Offers a stream's own ranges; returns the size of the best that fits. */
  private long offerOwn(FreeIndex.Walk fits) {
    leastFit = Math.min(leastFit, fits.nextSize());
    for (int i = 0; i < OWN && fits.hasNext(); i++) {
      Block block = fits.next();
      if (table.missing(block.address, size, false) == 0) {
        take(new FreeSpan(block, block.size), block.address);
        return block.size;
      }
    }
    return Long.MAX_VALUE;
  }

  /**
   * Offers settled memory.
   *
   * @param below its size has to be less
   */
  private void offerPieces(FreeIndex.Walk fits, long below) {
    if (fits.nextSize() >= below) {
      return;
    }
    long near = fits.nextSize() == size ? size : fits.nextSize() + fits.nextSize() / NEAR_PARTS;
    for (int i = 0; i < NEAR && cost > 0 && fits.hasNext() && fits.nextSize() <= near; i++) {
      long from = fits.nextAddress();
      long to = from + fits.nextSize();
      Block block = fits.next();
      offerPiece(block, from, table.pinnedAnew(from, size));
      if (to - size > from) {
        offerPiece(block, to - size, table.pinnedAnew(to - size, size));
      }
    }
  }

  private void offerPiece(Block block, long at, int pinned) {
    if (pinned < cost) {
      cost = pinned;
      take(new FreeSpan(block, block.size), at);
    }
  }

  private void offerNeighbours(FreeIndex.Walk smaller) {
    for (int i = 0; i < OWN && smaller.hasNext(); i++) {
      FreeSpan run = FreeSpan.unseen(smaller.next(), owner, number);
      if (run != null && run.size() >= size && (range == null || run.size() < rangeSize)) {
        long low = run.first().address;
        long high = run.end() - size;
        if (table.missing(low, size, false) == 0) {
          take(run, low);
        } else if (table.missing(high, size, false) == 0) {
          take(run, high);
        }
      }
    }
  }

  private void take(FreeSpan run, long at) {
    range = run;
    rangeSize = run.size();
    address = at;
  }

  // ---- where more is to be laid ----

  /** The place that lacks fewest pages; null if no range of addresses is large enough. */
  @Nullable Place fewestMissing() {
    Place own = fewestMissingOfKind();
    if (own == null) {
      small = !small;
      own = fewestMissingOfKind();
    }
    return own;
  }

  private @Nullable Place fewestMissingOfKind() {
    number = heap.nextSearch();
    FreeIndex own = owner.unsettled(small);
    FreeIndex pieces = heap.settled.pieces(small);
    offerRuns(own.fits(size), OWN);
    offerRuns(own.below(size), OWN);
    offerRuns(pieces.fits(size), 1);
    offerRuns(pieces.below(size), PLACES);
    offerRuns(heap.settled.lacking(small).fits(size), PLACES);
    if (range == null && elsewhere != null) {
      offer(elsewhere, elsewhere.first().address);
    }
    return best(cost);
  }

  private void offerRuns(FreeIndex.Walk free, int most) {
    for (int i = 0; i < most && cost > 0 && free.hasNext(); i++) {
      FreeSpan run = FreeSpan.unseen(free.next(), owner, number);
      if (run != null && run.size() >= size) {
        offer(run);
      }
    }
  }

  private void offer(FreeSpan run) {
    long from = run.first().address;
    if (apart && heap.regions.mayHold(run)) {
      offerApart(run);
      return;
    }
    offer(run, from);
    offer(run, run.end() - size);
    table.eachMappedRange(
        from,
        run.end(),
        (low, high) -> {
          if (low + size <= run.end()) {
            offer(run, low);
          }
          if (high - size >= from) {
            offer(run, high - size);
          }
        });
  }

  /** Offers untouched addresses: where own memory ends, and in the stream's own region. */
  private void offerApart(FreeSpan run) {
    if (run.first().place == Block.Place.UNSETTLED) {
      offer(run, run.first().address);
    }
    long at = heap.regions.placeIn(run, heap.regions.startFor(owner), size);
    if (at == StreamAddressRegions.NOWHERE) {
      elsewhere = run;
    } else {
      offer(run, at);
    }
  }

  private void offer(FreeSpan run, long at) {
    int missing = table.missing(at, size, false);
    if (missing < cost || (missing == cost && run.size() < rangeSize)) {
      cost = missing;
      take(run, at);
    }
  }
}
