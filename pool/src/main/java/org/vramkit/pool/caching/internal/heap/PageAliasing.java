package org.vramkit.pool.caching.internal.heap;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.caching.internal.heap.PageMapper.Aliased;
import org.vramkit.pool.caching.internal.heap.PageMapper.Stale;
import org.vramkit.pool.caching.internal.page.Extent;
import org.vramkit.pool.caching.internal.page.PageSpans;
import org.vramkit.pool.caching.internal.page.PageSpans.Span;
import org.vramkit.pool.caching.internal.page.PageTable;

/**
 * Chooses extents to be mapped at a second address. A stream that may never drain cannot have its
 * free extents moved, because queued work may still use them where they are. So they are mapped
 * beneath a new block of the same stream, too; {@link PageMapper} removes the first mapping later.
 * Under the growth lock and the heap's lock.
 */
final class PageAliasing {
  private final PageHeap heap;
  private final PageTable table;
  private final PageMapper mapper;

  PageAliasing(PageHeap heap, PageMapper mapper) {
    this.heap = heap;
    this.table = heap.table;
    this.mapper = mapper;
  }

  /**
   * Takes extents out of the unsettled ranges of a block's stream, the smallest first, because they
   * serve fewest requests, as far as they fit pages of the block.
   *
   * @param missing pages of the block without memory
   * @param wanted most pages of the extents
   * @param aliased takes what was left, lowest first
   */
  @SuppressWarnings("NonApiType") // of which room can be asked for
  void leave(Block block, int[] missing, int wanted, ArrayList<Aliased> aliased) {
    FreeIndex own = block.owner().unsettledLarge;
    int most = Math.min(wanted, mapper.staleRoom());
    if (most <= 0 || own.isEmpty()) {
      return;
    }
    List<Span> places = PageSpans.of(ownPages(missing, block));
    // Not before: what was claimed beside the block has merged with own ranges.
    for (Block free : own.copy()) {
      if (most == 0 || places.isEmpty()) {
        break;
      }
      for (Extent extent : table.inside(free.address, free.end())) {
        Span place = extent.pages() > most ? null : takePlace(places, extent.pages());
        if (place != null) {
          aliased.ensureCapacity(aliased.size() + 1);
          aliased.add(leave(free, extent, place.from()));
          most -= extent.pages();
        }
      }
    }
    aliased.sort(Comparator.comparingInt(Aliased::from));
  }

  private Aliased leave(Block free, Extent extent, int place) {
    StreamState owner = free.owner();
    Block block = heap.carve(free, table.addressOf(extent.from()), extent.pages() * table.pageSize);
    Aliased aliased;
    try {
      aliased = new Aliased(new Stale(block, extent.from(), extent), place);
    } catch (Error e) {
      block.place = Block.Place.UNSETTLED;
      heap.insertMerged(block);
      throw e;
    }
    block.place = Block.Place.STALE;
    table.hide(extent);
    owner.staleEpoch = Math.max(owner.staleEpoch, block.epoch);
    return aliased;
  }

  /** What was left is its stream's own free memory again. */
  void comeBack(Stale left) {
    left.extent().moveTo(left.from());
    table.show(left.extent());
    left.block().place = Block.Place.UNSETTLED;
    heap.insertMerged(left.block());
  }

  /**
   * Those pages of a block that what its own stream may still use may lie beneath: the block covers
   * them, or the rest is the stream's own as well, until it has passed all that it was given so
   * far.
   */
  private int[] ownPages(int[] pages, Block block) {
    StreamState owner = block.owner();
    return Arrays.stream(pages)
        .filter(page -> claim(block.previous, table.addressOf(page), block.address, owner))
        .filter(page -> claim(block.next, block.end(), table.addressOf(page + 1), owner))
        .toArray();
  }

  /** Makes a range beside a block, unless it is empty, its stream's own; false if it cannot be. */
  private boolean claim(@Nullable Block beside, long from, long to, StreamState owner) {
    if (from >= to) {
      return true;
    }
    if (beside == null
        || beside.place != Block.Place.SETTLED
        || beside.address > from
        || beside.end() < to) {
      return false;
    }
    owner.unsettled(beside.segment.small).prepare(1);
    Block claimed = heap.carve(beside, from, to - from);
    claimed.place = Block.Place.UNSETTLED;
    claimed.giveTo(owner);
    heap.insertMerged(claimed);
    return true;
  }

  /** Takes the first pages of the first place that has so many; null if none has. */
  private static @Nullable Span takePlace(List<Span> places, int pages) {
    for (int i = 0; i < places.size(); i++) {
      Span place = places.get(i);
      if (place.pages() >= pages) {
        int end = place.from() + pages;
        if (end == place.to()) {
          places.remove(i);
        } else {
          places.set(i, new Span(end, place.to()));
        }
        return new Span(place.from(), end);
      }
    }
    return null;
  }
}
