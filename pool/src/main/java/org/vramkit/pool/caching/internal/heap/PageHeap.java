package org.vramkit.pool.caching.internal.heap;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.StealPolicy;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.caching.internal.heap.FreeRanges.FreeSpan.Place;
import org.vramkit.pool.caching.internal.heap.PageGrowth.Ease;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.option.SizeRules;
import org.vramkit.pool.caching.internal.page.Extent;
import org.vramkit.pool.caching.internal.page.PageSpans;
import org.vramkit.pool.caching.internal.page.PageTable;
import org.vramkit.pool.caching.internal.page.RangeVisitor;
import org.vramkit.pool.caching.internal.stats.ReservedMemory;

/**
 * The heap over virtual memory: addresses are plenty, pages are what counts.
 *
 * <h2>Addresses</h2>
 *
 * All blocks lie in reserved addresses, several times as many as the device has memory: the default
 * pool reserves them when it first grows, a private one by and by ({@link PageTable#ranges}). A
 * free range may have memory beneath it or not. Blocks up to 1 MiB have addresses of their own,
 * because one of them between two large ranges keeps these apart.
 *
 * <h2>While memory is plenty</h2>
 *
 * What may go into keeping memory small is a share of the program's time ({@link MoveTime}). A
 * request takes the best fit of what lies there ({@link SettledRanges}, {@link FitSearch}). If
 * nothing fits, it takes the place that lacks fewest pages. What is missing comes, in this order,
 * from memory that lies nowhere, from whole extents in settled free ranges elsewhere as long as
 * time is left, the highest first, and from the driver. The driver takes as long for an {@link
 * Extent} of 32 MiB as for a page, so large blocks get few long ones. They are not cut: a small
 * block has a short one moved to it as it is, and what it leaves serves the next.
 *
 * <p>What a stream frees absorbs the settled memory beside it if the stream was idle when last
 * asked. So the ranges of a program with one stream merge without a question.
 *
 * <h2>While memory is scarce</h2>
 *
 * Where blocks lie in parts of extents and may keep more than a third of what is free from others,
 * and always where any time may be spent, a request goes where it keeps fewest pages from others
 * ({@link PlaceSearch}), small ones between large ones too. Extents are short. One of which a block
 * takes a part is cut, as long as time is left, and from three quarters on in any case: it goes
 * back to the driver, and the part comes anew. So do extents that are to move where another length
 * is needed: by that single pages are joined again. What a stream may still use cannot be cut; the
 * part that is left of it is kept from others until the block is freed. Where the limit or the
 * driver refuses more, everything moves that can.
 *
 * <h2>Streams that are far behind</h2>
 *
 * What such a stream has freed can neither move nor go to others. So a stream that is far behind
 * takes that first, whatever else fits better, and gathers in a region of its own ({@link
 * StreamAddressRegions}); as do all streams where none may have another's memory. Before pages are
 * created for that stream its own free ones are laid at the new place as well as where they are
 * ({@link PageAliasing}).
 */
public final class PageHeap extends Heap {
  /** The most addresses reserved, as a multiple of the device's memory. */
  public static final long ADDRESS_FACTOR = 8;

  /** A fit is good enough if it is larger than the block by one part in so many at most. */
  private static final int GOOD_PARTS = 8;

  /**
   * The most of what is free that blocks may keep from others because they took a part of an
   * extent; beyond, they are laid so that they keep least. With a fifth of it, or with tight places
   * from half of the memory on, recorded programs reserve up to a fifth more where they need half
   * of a device, because tight places want memory to move and time for that runs out.
   */
  private static final double PARTED_PART = 1.0 / 3;

  /** While blocks are laid so, extents are cut from this share of what can be had on. */
  private static final double SCARCE_SHARE = 0.75;

  /** And from this share of it on that is kept from others; before, as long as time is left. */
  private static final double MOST_PARTED_SHARE = 0.125;

  public final PageTable table;

  final SettledRanges settled;

  /** Where streams that are far behind gather their blocks. */
  final StreamAddressRegions regions = new StreamAddressRegions();

  private final boolean neverSteals;

  /** One for each range of addresses. Guarded by the lock. */
  final ArrayList<Segment> segments = new ArrayList<>();

  private final PageGrowth pageGrowth;
  private final PageMapper mapper;

  /**
   * A heap with addresses of its own, of which it has none yet.
   *
   * @param firstFactor how many it reserves when it first grows, as a multiple of the device's
   *     memory; at most {@link #ADDRESS_FACTOR}
   * @param slack what may be created while free pages could be moved
   */
  public PageHeap(
      Device device,
      CachingAllocatorOptions options,
      double firstFactor,
      Slack slack,
      ReservedMemory books,
      Block.Table numbers) {
    super(books, device, numbers, new Patience(options.growthPatience()), slack);
    long pageSize = device.getVirtualMemory().getGranularity();
    long total = ByteSize.roundUp(device.getProperties().totalMemoryBytes(), pageSize);
    this.neverSteals = options.steal() == StealPolicy.NEVER;
    this.table = new PageTable(device, options.accessors(), pageSize, books.observer);
    this.settled = new SettledRanges(table);
    this.pageGrowth =
        new PageGrowth(
            this, options.extentShare(), (long) (firstFactor * total), ADDRESS_FACTOR * total);
    this.mapper = pageGrowth.mapper;
  }

  @Override
  boolean isSmall(long size) {
    return !moveTime.isUnlimited() && SizeRules.isSmall(size);
  }

  @Override
  boolean mayTake(Block free, long size) {
    // A range whose growth was refused lies there with addresses that have no pages.
    return table.missing(free.address, size, false) == 0;
  }

  @Override
  public boolean maySplit(long size) {
    return true;
  }

  @Override
  @Nullable Block find(StreamState owner, long size) {
    Place best = isTight() ? cheapest(owner, size) : new FitSearch(this, owner, size).lying();
    return best == null || best.missing() > 0 ? null : carve(best, size);
  }

  @Override
  void onTaken(Block block) {
    table.taken(block.address, block.end());
  }

  @Override
  void onAbsorbed(Block range) {
    table.used(range.address, range.end());
  }

  @Override
  void onSettled(long address, long end, Block range) {
    table.settled(address, end, range.address, range.end());
  }

  /**
   * Whether memory is tight, and blocks are laid so that as little of it as possible is kept from
   * others. That is not where little is free, but where blocks keep much of what is free because
   * they took a part of an extent: only that gets better when they are laid otherwise. Locked, or
   * not, where an answer that is old by a moment does no harm.
   */
  private boolean isTight() {
    long free = most() - unreleasableBytes() + partedBytes();
    return moveTime.isUnlimited() || partedBytes() > PARTED_PART * free;
  }

  Ease ease() {
    return isTight() ? Ease.TIGHT : Ease.PLENTY;
  }

  /** Whether extents are cut where a block takes a part of one. */
  private boolean cuts() {
    return moveTime.isLeft()
        || (double) books.reserved() / most() > SCARCE_SHARE
        || (double) partedBytes() / most() > MOST_PARTED_SHARE;
  }

  /** What blocks may keep from others, because they took a part of an extent. */
  private long partedBytes() {
    return table.parted.count() * table.pageSize;
  }

  /** What can be had, by the limit and the device. */
  long most() {
    return Math.min(books.limit(), totalBytes);
  }

  @Override
  @Nullable Block findRun(StreamState owner, long size) {
    return null;
  }

  /** The best place that the stream may have; null if no range of addresses is large enough. */
  @Nullable Place cheapest(StreamState owner, long size) {
    return cheapest(owner, size, !slack.isHurried() && cuts());
  }

  @Nullable Place cheapest(StreamState owner, long size, boolean sparing) {
    PlaceSearch search = new PlaceSearch(nextSearch(), table, regions, size, sparing);
    boolean small = isSmall(size);
    search.offerAll(owner, settled, small, slack.isHurried(), mayNeverDrain(owner));
    Place own = search.best();
    if ((own != null && own.missing() == 0) || settled.isEmpty(!small)) {
      return own;
    }
    // What lies between blocks of the other kind is better than memory that has to be found.
    PlaceSearch others = new PlaceSearch(nextSearch(), table, regions, size, sparing);
    others.offerAll(owner, settled, !small, slack.isHurried(), false);
    Place other = others.best();
    return own == null || (other != null && other.missing() == 0) ? other : own;
  }

  /** Where a block is to be laid. */
  @Nullable Place placeToGrow(StreamState owner, long size, Ease ease) {
    return switch (ease) {
      case PLENTY -> new FitSearch(this, owner, size).fewestMissing();
      case TIGHT -> cheapest(owner, size);
      // Before a request is refused extents are cut, whatever time that takes.
      case SCARCE -> cheapest(owner, size, !slack.isHurried());
    };
  }

  /**
   * Whether a stream takes its own free memory first, and new memory apart from other streams': it
   * may get none of theirs for long, nor they its. Locked.
   */
  boolean isApart(StreamState owner) {
    return unsettled.hasOther(owner) && (neverSteals || owner.progress.isFarBehind());
  }

  /** Whether a stream is busy now, and waiting has been in vain for long. */
  boolean mayNeverDrain(StreamState owner) {
    return owner.progress.isBehind() && patience.isSpent();
  }

  Block carve(Place place, long size) {
    return carveRun(place.range(), place.address(), size);
  }

  @Override
  Block takeFrom(Block free, long size) {
    return carve(free, free.address, size);
  }

  /** Of the other kind too: a stream waits on the device for it, and else the host would. */
  @Override
  @Nullable Block bestToSteal(StreamState victim, long size) {
    Block own = super.bestToSteal(victim, size);
    return own != null ? own : bestToTake(victim.unsettled(!isSmall(size)), size);
  }

  @Override
  void enterSettled(Block range) {
    settled.enter(range);
  }

  @Override
  void leaveSettled(Block range) {
    settled.leave(range);
  }

  @Override
  void prepareSettled(boolean small, int additions) {
    settled.prepare(small, additions);
  }

  @Override
  public List<Block> settledRanges() {
    return settled.all();
  }

  @Override
  public @Nullable Block takeGood(StreamState owner, long size) {
    lock.lock();
    try {
      if (isTight()) {
        return null;
      }
      FitSearch search = new FitSearch(this, owner, size);
      Place place = search.lying();
      if (place == null
          || (place.range().size() - size > size / GOOD_PARTS
              && paysToAsk(owner, size, search.leastFit()))) {
        return null;
      }
      return owned(carve(place, size), owner);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int questionsFor(int pages) {
    if (isTight()) {
      return super.questionsFor(pages);
    }
    // A page that is taken now is not moved later, so it is worth but one.
    return moveTime.isLeft() ? Math.min(pages, super.questionsFor(pages)) : 0;
  }

  /**
   * All streams, where another one's range fits better than what this one may have now, or where
   * memory would be taken. On the recorded program serve 77 of 100 answers bring a better fit where
   * one range is it, and 8 where several would have to merge.
   */
  @Override
  public Collection<? extends StreamState> askedFirst(
      StreamState owner, long size, Collection<? extends StreamState> all) {
    lock.lock();
    try {
      return !isTight() && paysToAsk(owner, size, bestLying(owner, size, isSmall(size)))
          ? List.copyOf(all)
          : List.of();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Whether others may have freed what fits better.
   *
   * @param fit bytes of the best fit among addresses of the block's kind
   */
  private boolean paysToAsk(StreamState owner, long size, long fit) {
    if (!unsettled.hasOther(owner)) {
      return false;
    }
    boolean small = isSmall(size);
    long best = fit;
    if (settled.isUsedUp(small, size)) {
      best = Math.min(best, bestLying(owner, size, !small));
    }
    boolean good = best - size <= Math.max(size / GOOD_PARTS, table.pageSize);
    return !good
        && moveTime.isLeftToAsk()
        && (best == Long.MAX_VALUE || unsettled.hasBetterFit(owner, size, best, MOST_ASKED));
  }

  private long bestLying(StreamState owner, long size, boolean small) {
    FreeIndex pieces = settled.pieces(small);
    return Math.min(owner.unsettled(small).bestSize(size), pieces.bestSize(size));
  }

  @Override
  boolean mayAbsorb(Block range) {
    return !isTight() && SettledRanges.isWhole(range);
  }

  @Override
  public int shortage(StreamState owner, long size) {
    lock.lock();
    try {
      Place place = placeToGrow(owner, size, ease());
      if (place == null) {
        long pages = size / table.pageSize + 1 - mapper.sparePages() - table.movable.count();
        return (int) Math.max(0, Math.min(pages, Integer.MAX_VALUE));
      }
      if (slack.room() > size) {
        return place.missing();
      }
      int others = table.movableBeside(place.address(), size, place.sparing());
      return Math.max(0, place.missing() - mapper.sparePages() - others);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long bytesToTake(StreamState owner, long size) {
    return shortage(owner, size) * table.pageSize;
  }

  @Override
  public Growth grow(StreamState owner, long size) {
    return pageGrowth.grow(owner, size);
  }

  private void leave(@Nullable Block range) {
    if (range != null) {
      settled.leave(range);
    }
  }

  private void enter(@Nullable Block range) {
    if (range != null) {
      settled.enter(range);
    }
  }

  /** Shows an extent as absent that may move. Locked. */
  void hide(Extent extent) {
    Block range = settled.rangeOf(extent.from());
    leave(range);
    table.hide(extent);
    enter(range);
  }

  /** Shows an extent that was hidden and did not move. Locked. */
  void showAgain(Extent extent) {
    Block range = settled.rangeOf(extent.from());
    leave(range);
    table.show(extent);
    table.settled(extent);
    enter(range);
  }

  @Override
  public long release(long keepBytes) {
    growth.lock();
    try {
      mapper.clear();
      return releasePages(pagesAbove(keepBytes), true);
    } finally {
      growth.unlock();
    }
  }

  @Override
  long giveBack(long mostBytes) {
    mapper.clear();
    return releasePages(Math.toIntExact(mostBytes / table.pageSize), false);
  }

  /**
   * Gives spares back, then the highest extents that may move.
   *
   * @param wanted pages
   * @param beyond whether more may go where an extent has more
   */
  private long releasePages(int wanted, boolean beyond) {
    PoolObserver.Span span = books.observer.begin(PoolObserver.Work.TRIM, null);
    long given = 0;
    try {
      given = releasePagesOf(wanted, beyond);
      return given;
    } finally {
      span.end(given, 0);
    }
  }

  private long releasePagesOf(int wanted, boolean beyond) {
    int given = mapper.releaseSpares(wanted, beyond);
    List<Extent> hidden;
    lock.lock();
    try {
      hidden = table.highestMovable(wanted - given, Integer.MAX_VALUE, beyond);
      settled.prepareExtents(hidden.size());
      hidden.forEach(this::hide);
    } finally {
      lock.unlock();
    }
    int lifted = 0;
    int done = 0;
    try {
      for (List<Extent> neighbours : PageSpans.neighbours(hidden)) {
        int pages = PageSpans.total(neighbours);
        mapper.lift(neighbours);
        lifted += pages;
        done += neighbours.size();
      }
    } finally {
      showFrom(done, hidden);
    }
    return (given + mapper.releaseSpares(lifted, false)) * table.pageSize;
  }

  /** What could not be lifted is where it was. */
  private void showFrom(int first, List<Extent> hidden) {
    if (first < hidden.size()) {
      lockSurely();
      try {
        for (int i = first; i < hidden.size(); i++) {
          showAgain(hidden.get(i));
        }
      } finally {
        lock.unlock();
      }
    }
  }

  @Override
  long reservedBytes() {
    return table.mapped.count() * table.pageSize + unplacedBytes();
  }

  @Override
  long unreleasableBytes() {
    return (table.mapped.count() - table.movable.count()) * table.pageSize;
  }

  @Override
  long freeableBytes(Block block) {
    return Math.max(0, table.pageOf(block.end()) - table.pageAfter(block.address)) * table.pageSize;
  }

  private int pagesAbove(long keepBytes) {
    return Math.toIntExact(
        (Math.max(0, books.reserved() - keepBytes) + table.pageSize - 1) / table.pageSize);
  }

  @Override
  public List<Segment> segments() {
    return List.copyOf(segments);
  }

  @Override
  public long mappedBytes(Block free) {
    return table.mappedBytes(free.address, free.end());
  }

  @Override
  public long unplacedBytes() {
    return mapper.unplaced() * table.pageSize;
  }

  @Override
  public void eachMappedRange(Block free, RangeVisitor visitor) {
    table.eachMappedRange(free.address, free.end(), visitor);
  }

  @Override
  public void close() {
    List<StreamState> aliasing;
    growth.lock();
    try {
      aliasing = mapper.staleOwners();
    } finally {
      growth.unlock();
    }
    aliasing.forEach(each -> each.progress.await());
    release(0);
    if (books.held() != 0) {
      throw new IllegalStateException(
          "cannot close: " + ByteSize.format(books.held()) + " are still in use");
    }
    lock.lock();
    try {
      // Where the driver fails to take addresses back, those that it took are no blocks any more.
      segments.clear();
    } finally {
      lock.unlock();
    }
    table.unreserve();
  }
}
