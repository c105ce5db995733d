package org.vramkit.pool.caching.internal.heap;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.caching.internal.heap.FreeRanges.FreeSpan.Place;
import org.vramkit.pool.caching.internal.heap.PageMapper.Aliased;
import org.vramkit.pool.caching.internal.heap.PageMapper.Stale;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.page.AddressRanges;
import org.vramkit.pool.caching.internal.page.Extent;
import org.vramkit.pool.caching.internal.page.PageSpans;
import org.vramkit.pool.caching.internal.page.PageSpans.Span;
import org.vramkit.pool.caching.internal.page.PageTable;

/**
 * How a heap over pages grows. A growth plans under the heap's lock: it takes the block, and hides
 * the extents that will move, so that nobody else uses them. It then calls the driver without the
 * lock: what moves is unmapped, what fits no place goes back, what lacks is created, and all is
 * mapped. Whatever fails, no memory is lost ({@link PageMapper}), and the block is free again.
 */
final class PageGrowth {
  /** The driver takes hardly less time for each byte of larger ones. */
  private static final long MOST_EXTENT_BYTES = 32 * ByteSize.MIB;

  /**
   * An extent is at most such a part of its block: one of about the same size cuts little of it.
   */
  private static final int BLOCK_PARTS = 4;

  /** The same where extents are not cut: shorter ones are more calls, longer ones keep more. */
  private static final int LONG_BLOCK_PARTS = 2;

  /**
   * And at most such a part of what can be had: a small block may keep the rest of one. With half
   * of it growth on a device of twice the need takes up to twice the driver's time; with four times
   * as much, programs that need 95 % of a device are refused memory.
   */
  private static final int MEMORY_PARTS = 512;

  /** Extents that may move rather than that one is taken: so many small ones are joined. */
  private static final int MOVED_FOR_EXTENT = 4;

  /** A growth by more extents than this asks first whether the device has room for them all. */
  private static final int UNASKED_EXTENTS = 8;

  /** A range of addresses holds several blocks like the one that it is reserved for. */
  private static final long BLOCKS_IN_RANGE = 2;

  /** One part of the addresses is for small blocks. */
  private static final int SMALL_PARTS = 8;

  /** How much memory there is, and so what a growth may do for its sake. */
  enum Ease {
    /** Blocks lie where most of their memory lies, and extents are long. */
    PLENTY,
    /** Blocks lie where they keep least from others; extents are short, and cut. */
    TIGHT,
    /** All that could be moved is moved before more is taken, however little of it is needed. */
    SCARCE
  }

  private final PageHeap heap;
  private final PageTable table;
  private final SettledRanges settled;
  private final PageAliasing aliasing;

  // Made before: between the two nothing may need memory of the JVM.
  private final Consumer<Block> leaving;
  private final Consumer<Block> entering;
  final PageMapper mapper;

  /**
   * {@link CachingAllocatorOptions#EXTENT_SHARE} but in tests, of all memory with the new block's.
   */
  private final double extentShare;

  /** Bytes of addresses that are reserved first, and at most. */
  private final long firstBytes;

  private final long mostBytes;

  /** What memory is laid beneath now. Guarded by the growth lock. */
  private @Nullable Block growing;

  PageGrowth(PageHeap heap, double extentShare, long firstBytes, long mostBytes) {
    this.heap = heap;
    this.table = heap.table;
    this.settled = heap.settled;
    this.leaving = settled::leave;
    this.entering = settled::enter;
    this.extentShare = extentShare;
    this.firstBytes = firstBytes;
    this.mostBytes = mostBytes;
    int mostPages = (int) Math.max(1, MOST_EXTENT_BYTES / table.pageSize);
    this.mapper = new PageMapper(table, heap.books, new Addresses(), mostPages);
    this.aliasing = new PageAliasing(heap, mapper);
  }

  /**
   * A block that is taken, and how it gets the pages that it lacks. Made before anything changes,
   * and filled as it changes, so that whatever fails can be undone.
   */
  private static final class Plan {
    final Heap.Growth growth;
    boolean settledBefore;
    @Nullable Block block;

    /** Extents elsewhere that give theirs up: hidden, of which the first are lifted by now. */
    final ArrayList<Extent> hidden = new ArrayList<>();

    int lifted;

    /** Extents that are laid under the block as well and are not yet, lowest first. */
    final ArrayList<Aliased> aliased = new ArrayList<>();

    /** Pages under which one extent each is laid, lowest first. */
    List<Span> parts = List.of();

    Plan(Heap.Growth growth) {
      this.growth = growth;
    }
  }

  Heap.Growth grow(StreamState owner, long size) {
    Heap.Growth grown = new Heap.Growth();
    heap.growth.lock();
    try {
      grow(owner, size, heap.ease(), grown);
      if (grown.block() == null && isMovable()) {
        grow(owner, size, Ease.SCARCE, grown);
      }
      if (grown.block() == null) {
        grown.got(takePinning(owner, size));
      }
      return grown;
    } finally {
      heap.growth.unlock();
    }
  }

  private boolean isMovable() {
    heap.lock.lock();
    try {
      return table.movable.count() > 0;
    } finally {
      heap.lock.unlock();
    }
  }

  /** A block that has its memory, whatever extents keep from others then: rather that than wait. */
  private @Nullable Block takePinning(StreamState owner, long size) {
    heap.lock.lock();
    try {
      Place place = heap.cheapest(owner, size, false);
      return place == null || place.missing() > 0
          ? null
          : Heap.owned(heap.carve(place, size), owner);
    } finally {
      heap.lock.unlock();
    }
  }

  /** Grows once. */
  private void grow(StreamState owner, long size, Ease ease, Heap.Growth grown) {
    mapper.clear();
    Plan plan = new Plan(grown);
    try {
      if (begin(plan, owner, size, ease)) {
        execute(plan);
      }
    } catch (DeviceOutOfMemoryException refusal) {
      // Mapping takes memory of the driver's own.
      undo(plan);
      grown.refused(refusal);
    } catch (RuntimeException | Error e) {
      undo(plan);
      throw e;
    }
  }

  /** Takes a block, with its memory if it has it; true if there is more to do. */
  private boolean begin(Plan plan, StreamState owner, long size, Ease ease) {
    heap.lock.lock();
    try {
      Place place = heap.placeToGrow(owner, size, ease);
      if (place != null && place.missing() == 0) {
        plan.growth.got(Heap.owned(heap.carve(place, size), owner));
        return false;
      }
      if (place != null) {
        return fill(plan, place, owner, size, ease);
      }
    } finally {
      heap.lock.unlock();
    }
    return reserveFor(size, plan.growth) && begin(plan, owner, size, ease);
  }

  /** Reserves addresses where no range of them is large enough; false if none can be had. */
  private boolean reserveFor(long size, Heap.Growth grown) {
    long most = mostBytes / table.pageSize - table.ranges.pages();
    long least = ByteSize.roundUp(size, table.pageSize) / table.pageSize;
    if (least > most) {
      return false;
    }
    long wanted = Math.max(firstBytes / table.pageSize, table.ranges.pages());
    long pages = Math.min(most, Math.max(wanted, BLOCKS_IN_RANGE * least));
    while (true) {
      try {
        addRange((int) pages, least);
        return true;
      } catch (DeviceOutOfMemoryException refusal) {
        if (pages == least) {
          grown.refused(refusal);
          return false;
        }
        pages = least;
      }
    }
  }

  private void addRange(int pages, long least) {
    AddressRanges.Range range = table.ranges.reserve(pages);
    boolean added = false;
    try {
      long smallBytes = smallPages(pages, least) * table.pageSize;
      Segment small = new Segment(range.base(), smallBytes, true);
      Segment large = new Segment(range.base() + smallBytes, range.bytes() - smallBytes, false);
      heap.lock.lock();
      try {
        heap.segments.ensureCapacity(heap.segments.size() + 2);
        settled.prepare(true, 1);
        settled.prepare(false, 1);
        // From here on nothing needs memory of the JVM.
        heap.regions.range = large;
        add(large);
        if (smallBytes > 0) {
          add(small);
        }
        added = true;
      } finally {
        heap.lock.unlock();
      }
    } finally {
      if (!added) {
        table.ranges.unreserveLast();
      }
    }
  }

  /** Small blocks have addresses of their own: among large ones they would keep these apart. */
  private long smallPages(int pages, long least) {
    int small = pages / SMALL_PARTS;
    return heap.moveTime.isUnlimited() || pages - small < least ? 0 : small;
  }

  private void add(Segment segment) {
    heap.segments.add(segment);
    segment.first.place = Block.Place.SETTLED;
    settled.enterUntouched(segment.first);
  }

  /** Takes a block and chooses its pages; false if the limit forbids it. Locked. */
  private boolean fill(Plan plan, Place place, StreamState owner, long size, Ease ease) {
    plan.settledBefore = place.range().isSettled();
    settled.prepareTo(table.prepare(table.pageAfter(place.address() + size)));
    settled.prepareExtents(MOVED_FOR_EXTENT);
    if (place.sparing()) {
      hide(plan, table.cuts(place.address(), size));
    }
    int[] missing = missingPages(place.address(), size);
    Block block = heap.carve(place, size);
    block.giveTo(owner);
    plan.block = block;
    if (ease == Ease.PLENTY && moveWhole(plan, block, missing)) {
      return true;
    }
    boolean scarce = ease == Ease.SCARCE;
    int wanted = missing.length - mapper.sparePages() - PageSpans.total(plan.hidden);
    long room = scarce ? 0 : room(ease, size) / table.pageSize;
    int mostCreated = (int) Math.min(Math.max(0, wanted), room);
    int extentPages = ease == Ease.PLENTY ? longExtent(size) : shortExtent(size);
    int mostMoved =
        scarce || heap.moveTime.isUnlimited() ? Integer.MAX_VALUE : mostMoved(wanted, extentPages);
    List<Extent> moved = table.highestMovable(wanted - mostCreated, mostMoved, ease != Ease.TIGHT);
    hide(plan, moved);
    wanted -= PageSpans.total(moved);
    if (heap.mayNeverDrain(owner)) {
      aliasing.leave(block, missing, wanted, plan.aliased);
      // Beneath it may lie from now on what its stream still uses elsewhere.
      plan.settledBefore &= plan.aliased.isEmpty();
    }
    int created = wanted - PageSpans.total(plan.aliased);
    if (created > 0 && !heap.books.allows(created * table.pageSize)) {
      undoLocked(plan);
      return false;
    }
    plan.parts = parts(block, missing, plan.aliased, extentPages);
    return true;
  }

  /**
   * Moves a short extent to a small block as it is: what the block leaves over serves the next
   * ones. Cutting a page off a long one would cost more calls, and save but the page. False if
   * there is none.
   */
  private boolean moveWhole(Plan plan, Block block, int[] missing) {
    boolean pays = heap.isSmall(block.size) && heap.moveTime.isLeft() && mapper.sparePages() == 0;
    List<Span> spans = PageSpans.of(missing);
    // What lies with a stream that keeps apart serves that one alone.
    if (!pays || spans.size() != 1 || heap.isApart(block.owner())) {
      return false;
    }
    Span lacking = spans.get(0);
    int room = Math.max(lacking.to(), freePagesTo(block, lacking.to())) - lacking.from();
    int most = Math.min(room, pagesOf(sharedBytes(block.size)));
    Extent extent = table.shortestMovable(lacking.pages(), most);
    if (extent == null) {
      return false;
    }
    Span laid = new Span(lacking.from(), lacking.from() + extent.pages());
    settled.prepareTo(table.prepare(laid.to()));
    plan.parts = List.of(laid);
    hide(plan, List.of(extent));
    return true;
  }

  /** One past the pages behind a block, from one on, that are free and have no memory. */
  private int freePagesTo(Block block, int from) {
    Block next = block.next;
    boolean isBehind = from == table.pageAfter(block.end());
    return isBehind && next != null && next.place == Block.Place.SETTLED
        ? table.pageOf(table.nextMapped(table.addressOf(from), next.end()))
        : from;
  }

  /** What may be taken anew; for a small block nothing is cut, which saves too little. */
  private long room(Ease ease, long size) {
    return ease == Ease.PLENTY && heap.isSmall(size) ? Long.MAX_VALUE : heap.slack.room();
  }

  private void hide(Plan plan, List<Extent> extents) {
    settled.prepareExtents(extents.size());
    plan.hidden.addAll(extents);
    for (int i = 0; i < extents.size(); i++) {
      heap.hide(extents.get(i));
    }
  }

  /** What of a block's missing pages is left to be laid, cut into extents. */
  private List<Span> parts(Block block, int[] missing, List<Aliased> aliased, int most) {
    BitSet covered = new BitSet();
    aliased.forEach(each -> covered.set(each.from(), each.to()));
    int[] left = Arrays.stream(missing).filter(page -> !covered.get(page)).toArray();
    return PageSpans.cut(
        PageSpans.of(left), table.pageAfter(block.address), table.pageOf(block.end()), most);
  }

  /** The most pages of an extent for a block, where extents are cut. */
  private int shortExtent(long size) {
    return pagesOf(Math.min(sharedBytes(size), size / BLOCK_PARTS));
  }

  /** The most of an extent that several blocks may share: the rest waits for the last of them. */
  private long sharedBytes(long size) {
    return (long) (extentShare * (double) (heap.books.held() + size));
  }

  /** The same where they are not. */
  private int longExtent(long size) {
    return pagesOf(Math.min(size / LONG_BLOCK_PARTS, heap.most() / MEMORY_PARTS));
  }

  private int pagesOf(long extentBytes) {
    return (int) Math.max(1, Math.min(extentBytes, MOST_EXTENT_BYTES) / table.pageSize);
  }

  /** How many extents may move for the sake of some pages: else taking them is the better way. */
  private static int mostMoved(int pages, int extentPages) {
    return MOVED_FOR_EXTENT * (1 + Math.max(0, pages) / extentPages);
  }

  /** What the mapper tells of its pages. */
  private final class Addresses implements PageMapper.Addresses {
    @Override
    public void show(List<Extent> laid) {
      heap.lock.lock();
      try {
        Span all = Span.over(laid);
        Block block = requireNonNull(growing);
        // Others may have used up since what was prepared as the growth began.
        settled.prepareExtents(MOVED_FOR_EXTENT);
        beside(block, all, leaving);
        for (int i = 0; i < laid.size(); i++) {
          table.show(laid.get(i));
        }
        beside(block, all, entering);
        table.taken(block.address, block.end());
        heap.noteNeed();
      } finally {
        heap.lock.unlock();
      }
    }

    @Override
    public void comeBack(List<Stale> left) {
      heap.lock.lock();
      try {
        left.forEach(aliasing::comeBack);
      } finally {
        heap.lock.unlock();
      }
    }

    @Override
    public void free(Block addresses) {
      heap.lock.lock();
      try {
        heap.prepare(addresses, Block.Place.SETTLED, 1);
        addresses.place = Block.Place.SETTLED;
        heap.insertMerged(addresses);
      } finally {
        heap.lock.unlock();
      }
    }
  }

  /** Goes through the settled ranges around a block that some pages reach into. Locked. */
  private void beside(Block block, PageSpans.Pages pages, Consumer<Block> action) {
    long from = table.addressOf(pages.from());
    long to = table.addressOf(pages.to());
    for (Block low = block.previous; low != null && low.end() > from; low = low.previous) {
      if (low.place == Block.Place.SETTLED) {
        action.accept(low);
      }
    }
    for (Block high = block.next; high != null && high.address < to; high = high.next) {
      if (high.place == Block.Place.SETTLED) {
        action.accept(high);
      }
    }
  }

  private int[] missingPages(long address, long size) {
    return IntStream.range(table.pageOf(address), table.pageAfter(address + size))
        .filter(page -> !table.mapped.get(page))
        .toArray();
  }

  /**
   * What the driver says to all that a growth needs at once, where it seems to have less: else it
   * would give what it has, and others starve until all of it goes back.
   */
  private @Nullable DeviceOutOfMemoryException foreseen(Plan plan) {
    int pages = PageSpans.total(plan.parts) - mapper.sparePages() - PageSpans.total(plan.hidden);
    boolean asks = plan.parts.size() > UNASKED_EXTENTS && pages > 0;
    return asks && pages * table.pageSize > heap.freeBytes() ? mapper.tryWhole(pages) : null;
  }

  private void execute(Plan plan) {
    Stream stream = plan.block == null ? null : plan.block.owner().stream;
    PoolObserver.Span span = heap.books.observer.begin(PoolObserver.Work.GROW, stream);
    long before = heap.books.held();
    int moving = PageSpans.total(plan.hidden) + PageSpans.total(plan.aliased);
    long moved = 0;
    try {
      carryOut(plan);
      moved = plan.growth.block() == null ? 0 : moving * table.pageSize;
    } finally {
      span.end(Math.max(0, heap.books.held() - before), moved);
    }
  }

  private void carryOut(Plan plan) {
    growing = plan.block;
    long begin = heap.moveTime.now();
    int moved = PageSpans.total(plan.hidden);
    int aliased = PageSpans.total(plan.aliased);
    DeviceOutOfMemoryException refusal = foreseen(plan);
    if (refusal == null) {
      lift(plan);
      refusal = mapper.supply(plan.parts);
    }
    if (refusal != null) {
      undo(plan);
      plan.growth.refused(refusal);
      return;
    }
    for (List<Aliased> neighbours : PageSpans.neighbours(List.copyOf(plan.aliased))) {
      mapper.layToo(neighbours, plan.aliased);
    }
    for (List<Span> neighbours : PageSpans.neighbours(plan.parts)) {
      mapper.lay(neighbours);
    }
    heap.books.pagesMoved.add(Math.min(moved, PageSpans.total(plan.parts)) + aliased);
    plan.growth.got(plan.block);
    double laid = Math.max(1, PageSpans.total(plan.parts) + aliased);
    heap.moveTime.grew(begin, Math.min(1, (moved + aliased) / laid));
  }

  private void lift(Plan plan) {
    for (List<Extent> neighbours : PageSpans.neighbours(plan.hidden)) {
      mapper.lift(neighbours);
      plan.lifted += neighbours.size();
    }
  }

  /**
   * Frees a block whose growth failed; nothing has used it. Extents that were to move and did not
   * are where they were, the others are spares by now, given back, or lie under the block.
   */
  private void undo(Plan plan) {
    heap.lockSurely();
    try {
      undoLocked(plan);
    } finally {
      heap.lock.unlock();
    }
  }

  /** Needs no memory of the JVM. Locked. */
  private void undoLocked(Plan plan) {
    for (int i = 0; i < plan.aliased.size(); i++) {
      aliasing.comeBack(plan.aliased.get(i).left());
    }
    for (int i = plan.lifted; i < plan.hidden.size(); i++) {
      showAgain(plan.hidden.get(i), plan.block);
    }
    if (plan.block != null) {
      giveUp(plan.block, plan.settledBefore && plan.aliased.isEmpty());
    }
    plan.block = null;
    plan.lifted = plan.hidden.size();
    plan.aliased.clear();
  }

  /**
   * Frees a block that was planned with; its stream may still use a part of what it was. Locked.
   */
  private void giveUp(Block block, boolean settledBefore) {
    block.place = settledBefore ? Block.Place.SETTLED : Block.Place.UNSETTLED;
    block.epoch = block.owner().progress.epoch();
    heap.insertMerged(block);
  }

  /**
   * Shows an extent again before a block is given up. Of one that was to be cut a part lies beneath
   * the block: whether it may move turns out as the block is entered. Locked.
   */
  private void showAgain(Extent extent, @Nullable Block givenUp) {
    if (givenUp == null
        || table.addressOf(extent.to()) <= givenUp.address
        || table.addressOf(extent.from()) >= givenUp.end()) {
      heap.showAgain(extent);
    } else {
      beside(givenUp, extent, leaving);
      table.show(extent);
      beside(givenUp, extent, entering);
    }
  }
}
