package org.vramkit.pool.caching.internal.heap;

import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.internal.heap.FreeRanges.FreeSpan;
import org.vramkit.pool.caching.internal.heap.FreeRanges.FreeSpan.Place;
import org.vramkit.pool.caching.internal.page.PageTable;

/**
 * Where among free ranges of addresses a block keeps fewest pages from others.
 *
 * <p>A block may lie at either end of a free range. There its first or last page may be one that a
 * neighbour uses already: then the block takes the rest of that page and costs one page less. What
 * fits the rest best is found by counting only pages that would become used, {@code fresh} ones; of
 * equals the one with fewer pages to be laid there; of equals the smallest range. So partly used
 * pages fill up, which is all that keeps reserved memory above what is live. A stream that is
 * always busy takes untouched addresses in a region of its own, see {@link StreamAddressRegions}.
 * Under the heap's lock.
 */
final class PlaceSearch {
  /**
   * Own ranges looked at that are large enough, the best fit first. On recorded programs 8 give
   * already most of what all of them would.
   */
  private static final int OWN_CANDIDATES = 32;

  /** The same of those that are large enough with what lies beside them alone. */
  private static final int SMALLER_CANDIDATES = 16;

  /** The same of settled ones: of most of them the index tells all that matters. */
  private static final int SETTLED_CANDIDATES = 64;

  /** While time counts more than memory it looks at such a part of them. */
  private static final int HURRIED_PART = 4;

  /**
   * A page that becomes used stays used as long as the block; one that must be laid there costs a
   * few driver calls once. With 16 to 1 recorded programs reserve least; with 2 to 1 they reserve
   * half a percent more and move a fifth fewer pages.
   */
  private static final int FRESH_WEIGHT = 16;

  private final int number;
  private final PageTable table;
  private final StreamAddressRegions regions;
  private final long size;
  private final boolean sparing;

  /**
   * No place costs less: pages that others share at both ends, and all there. Where a block may lie
   * on an extent that somebody keeps from others anyway, it can cost nothing.
   */
  private final int least;

  private boolean busy;

  /** Where the stream gathers its blocks; 0 if it takes them wherever they fit. */
  private long region;

  /** A range of untouched addresses in none but others' regions. */
  private @Nullable FreeSpan elsewhere;

  private @Nullable FreeSpan range;
  private long rangeAddress;
  private long rangeSize = Long.MAX_VALUE;
  private long address;
  private int missing;
  private int cost = Integer.MAX_VALUE;

  /**
   * For one block.
   *
   * @param number of the search, see {@link FreeSpan#unseen}
   * @param sparing whether it spares others what extents would keep from them: those are cut, or
   *     else other places are better
   */
  PlaceSearch(
      int number, PageTable table, StreamAddressRegions regions, long size, boolean sparing) {
    this.number = number;
    this.table = table;
    this.regions = regions;
    this.size = size;
    this.sparing = sparing;
    // More pages than there are have no place at all, whatever it would cost.
    int whole = (int) Math.min(size / table.pageSize, table.ranges.pages());
    boolean maybePinned = sparing && table.joint.count() > 0;
    this.least = maybePinned ? 0 : Math.max(0, whole - 1) * FRESH_WEIGHT;
  }

  /**
   * Offers what a stream may have: settled ranges, and its own with what lies beside them.
   *
   * @param small whether they are those of small blocks
   * @param hurried whether time counts more than memory
   * @param gathers whether it takes untouched addresses in a region of its own
   */
  void offerAll(
      StreamState owner, SettledRanges settled, boolean small, boolean hurried, boolean gathers) {
    busy = owner.progress.isBehind();
    region = gathers ? regions.startFor(owner) : 0;
    int part = hurried ? HURRIED_PART : 1;
    offerOwn(owner.unsettled(small).fits(size), owner, OWN_CANDIDATES / part);
    offerOwn(owner.unsettled(small).below(size), owner, SMALLER_CANDIDATES / part);
    offerSettled(settled.pieces(small).fits(size), owner, SETTLED_CANDIDATES / part);
    offerSettled(settled.lacking(small).fits(size), owner, SETTLED_CANDIDATES / part);
    if (range == null && elsewhere != null) {
      offerEnds(elsewhere);
    }
  }

  private void offerOwn(FreeIndex.Walk free, StreamState owner, int most) {
    for (int i = 0; i < most && free.hasNext(); i++) {
      if (isDecided(busy ? 0 : least, Math.max(size, free.nextSize()))) {
        return;
      }
      FreeSpan run = FreeSpan.unseen(free.next(), owner, number);
      if (run != null && run.size() >= size) {
        offer(run);
      }
    }
  }

  /**
   * Offers settled ranges. Those with own ones beside them were offered with these; of the others
   * size and address tell that nearly all are no better, and their blocks are not touched.
   */
  private void offerSettled(FreeIndex.Walk free, StreamState owner, int most) {
    int offered = 0;
    for (int i = 0; i < SettledRanges.PIECES * most && offered < most && free.hasNext(); i++) {
      long from = free.nextAddress();
      long bytes = free.nextSize();
      if (cost < least || isDecided(least, bytes)) {
        return;
      }
      if (region == 0 && !isBetter(leastFresh(from, from + bytes), from, bytes)) {
        free.skip();
        offered++;
        continue;
      }
      Block settled = free.next();
      if (settled.size != bytes) {
        // A piece of a range that lacks memory; it is offered as that range.
        continue;
      }
      offered++;
      FreeSpan run = FreeSpan.unseen(settled, owner, number);
      if (run != null) {
        offer(run);
      }
    }
  }

  /**
   * Whether the best place so far is better than all that follow.
   *
   * @param possible the least cost of what follows
   * @param bytes the least size of its ranges
   */
  private boolean isDecided(int possible, long bytes) {
    return cost <= possible && rangeSize <= bytes;
  }

  /** The least cost of a settled range. */
  private int leastFresh(long from, long end) {
    int lower = freshOfSettled(from, end, from);
    int upper = freshOfSettled(from, end, end - size);
    return Math.max(0, Math.min(lower, upper)) * FRESH_WEIGHT;
  }

  /** Offers a range that is large enough. */
  private void offer(FreeSpan candidate) {
    if (region == 0 || !regions.mayHold(candidate)) {
      offerEnds(candidate);
      return;
    }
    long from = candidate.first().address;
    if (candidate.first().place == Block.Place.UNSETTLED) {
      offer(candidate, from);
    }
    long at = regions.placeIn(candidate, region, size);
    if (at == StreamAddressRegions.NOWHERE) {
      elsewhere = candidate;
    } else {
      offer(candidate, at);
    }
  }

  private void offerEnds(FreeSpan candidate) {
    offer(candidate, candidate.first().address);
    if (candidate.size() > size) {
      offer(candidate, candidate.end() - size);
    }
  }

  private void offer(FreeSpan candidate, long at) {
    long from = candidate.first().address;
    int atLeast = Math.max(0, fresh(candidate, at)) * FRESH_WEIGHT;
    // Counting what is missing takes longest, and mostly it cannot matter any more.
    if (!isBetter(atLeast, from, candidate.size())) {
      return;
    }
    int lacking = table.missing(at, size, sparing);
    if (isBetter(atLeast + lacking, from, candidate.size())) {
      cost = atLeast + lacking;
      range = candidate;
      rangeAddress = from;
      rangeSize = candidate.size();
      address = at;
      missing = lacking;
    }
  }

  /** Whether a place is better than the best so far: cheaper, or its range smaller, or lower. */
  private boolean isBetter(int itsCost, long from, long bytes) {
    if (itsCost != cost) {
      return itsCost < cost;
    }
    return bytes != rangeSize ? bytes < rangeSize : from < rangeAddress;
  }

  /**
   * Pages under a place that are nobody's by now, and those that an extent keeps from others with
   * them. Where the stream is done with its work, what it freed is as good as settled, and only
   * pages at the ends of the range are somebody's. While it is busy its unsettled ranges keep their
   * pages from others anyhow.
   */
  private int fresh(FreeSpan candidate, long at) {
    long from = candidate.first().address;
    if (!busy) {
      return freshOfSettled(from, candidate.end(), at);
    }
    int fresh = pinned(from, candidate.end(), at);
    for (Block each = candidate.first();
        each != null && each.address < candidate.end();
        each = each.next) {
      if (each.place == Block.Place.SETTLED) {
        fresh += wholePages(each.address, each.end(), at);
      }
    }
    return fresh;
  }

  private int freshOfSettled(long from, long end, long at) {
    return wholePages(from, end, at) + pinned(from, end, at);
  }

  private int pinned(long from, long end, long at) {
    return sparing ? table.pinned(at, size, from, end) : 0;
  }

  /** Pages wholly inside a range that a block at an address would touch. */
  private int wholePages(long from, long end, long at) {
    int first = Math.max(table.pageOf(at), table.pageAfter(from));
    int last = Math.min(table.pageAfter(at + size), table.pageOf(end));
    return Math.max(0, last - first);
  }

  /** The best place that was offered; null if there was none. */
  @Nullable Place best() {
    return range == null ? null : new Place(range, address, missing, sparing);
  }
}
