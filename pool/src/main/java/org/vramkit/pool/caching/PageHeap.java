package org.vramkit.pool.caching;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.PageMapper.Doubled;
import org.vramkit.pool.caching.PageSpans.Span;
import org.vramkit.pool.caching.PlaceSearch.Place;
import org.vramkit.pool.caching.StaleMappings.Stale;

/**
 * The heap over virtual memory: addresses are plenty, pages are what counts.
 *
 * <h2>Addresses</h2>
 *
 * All blocks lie in reserved addresses, several times as many as the device has memory: the default
 * pool reserves them when it first grows, a private one by and by ({@link AddressRanges}). A free
 * range may have pages beneath it or not. A request takes the best-fitting range whatever lies
 * beneath, so holes are filled where they are and do not drift upwards.
 *
 * <h2>Pages and extents</h2>
 *
 * A range that lacks pages gets them, cheapest first: memory that lies nowhere; what lies wholly
 * inside settled free ranges elsewhere, the highest first, so that the top of the heap empties; new
 * memory. Of a range that is longer than the request the end that lacks fewer pages is used. What
 * is reserved therefore follows the pages that are really in use, plus the partly used pages at the
 * edges of live blocks.
 *
 * <p>The driver gives and maps memory in {@link Extent}s, and takes as long for one of 32 MiB as
 * for a page. Large blocks in large heaps get theirs in few of them. An extent is mapped as a
 * whole, so one of which a block takes a part is cut: it goes back to the driver, and the part
 * comes anew. So do extents that are to move where another length is needed: by that single pages
 * are joined again. Only what a stream may still use cannot be cut; the part that is left of it is
 * kept from others until the block is freed, and {@link PlaceSearch} avoids that.
 *
 * <h2>Growth</h2>
 *
 * A growth plans under {@code lock}: it takes the block, and hides the extents that will move, so
 * that nobody else uses them. It then calls the driver without {@code lock}: what moves is
 * unmapped, what fits no place goes back, what lacks is created, and all is mapped. Whatever fails,
 * no memory is lost ({@link PageMapper}), and the block is free again.
 *
 * <h2>Streams that never drain</h2>
 *
 * What such a stream has freed can neither move nor go to others. It gathers in a region of its own
 * ({@link Regions}), and before pages are created for that stream its own free ones are laid at the
 * new place as well as where they are ({@link Doubling}).
 */
final class PageHeap extends BlockHeap {
  /** The most addresses reserved, as a multiple of the device's memory. */
  static final long ADDRESS_FACTOR = 8;

  /** A range of addresses holds several blocks like the one that it is reserved for. */
  private static final long BLOCKS_IN_RANGE = 2;

  /** The driver takes hardly less time for each byte of larger ones. */
  private static final long MOST_EXTENT_BYTES = 32 * ByteSize.MIB;

  /**
   * An extent is at most such a part of its block: one of about the same size cuts little of it.
   */
  private static final int BLOCK_PARTS = 4;

  /** A growth by more extents than this asks first whether the device has room for them all. */
  private static final int UNASKED_EXTENTS = 8;

  private final FreeIndex settled = new FreeIndex();
  private final FreeIndex none = new FreeIndex();
  final PageTable table;

  /** The most that an extent may be of all memory that its pool has, the new block's included. */
  private final double extentShare;

  private final Slack slack;
  private final long firstBytes;
  private final long mostBytes;

  /** One for each range of addresses. Guarded by the lock. */
  private final ArrayList<Segment> segments = new ArrayList<>();

  /** Guarded by the growth lock. */
  private final StaleMappings stale;

  private final Doubling doubling;
  private final PageMapper mapper;

  /**
   * A heap with addresses of its own, of which it has none yet.
   *
   * @param firstFactor how many it reserves when it first grows, as a multiple of the device's
   *     memory; at most {@link #ADDRESS_FACTOR}
   * @param slack what may be created while free pages could be moved
   */
  PageHeap(
      Device device,
      CachingAllocatorOptions options,
      double firstFactor,
      Slack slack,
      MemoryBooks books,
      BlockNumbers numbers) {
    super(books, FreeMemory.of(device), numbers, new Patience(options.growthPatience()));
    this.slack = slack;
    long granularity = device.getVirtualMemory().getGranularity();
    long pageSize = Math.max(granularity, powerOfTwo(options.pageBytes()));
    long total = ByteSize.roundUp(device.getProperties().totalMemoryBytes(), pageSize);
    this.firstBytes = (long) (firstFactor * total);
    this.mostBytes = ADDRESS_FACTOR * total;
    this.table = new PageTable(device, options.accessors(), pageSize);
    this.extentShare = options.extentShare();
    this.stale = new StaleMappings(table);
    this.doubling = new Doubling(this, stale);
    this.mapper =
        new PageMapper(
            table, stale, books, new Addresses(), (int) Math.max(1, MOST_EXTENT_BYTES / pageSize));
  }

  /** The smallest one that is not below a number. */
  private static long powerOfTwo(long atLeast) {
    return atLeast <= 1 ? 1 : Long.highestOneBit(atLeast - 1) << 1;
  }

  @Override
  FreeIndex settled(boolean small) {
    return small ? none : settled;
  }

  @Override
  boolean isSmall(long size) {
    return false;
  }

  @Override
  boolean mayTake(Block free, long size) {
    // A range whose growth was refused lies there with addresses that have no pages.
    return table.missing(free.address, size, false) == 0;
  }

  @Override
  boolean maySplit(long size) {
    return true;
  }

  @Override
  @Nullable Block find(StreamHeap owner, long size) {
    Place best = cheapest(owner, size);
    return best == null || best.missing() > 0 ? null : carve(best, size);
  }

  @Override
  @Nullable Block findRun(StreamHeap owner, long size) {
    return null;
  }

  /** The best place that the stream may have; null if no range of addresses is large enough. */
  private @Nullable Place cheapest(StreamHeap owner, long size) {
    return cheapest(owner, size, !owner.isHurried());
  }

  private @Nullable Place cheapest(StreamHeap owner, long size, boolean sparing) {
    PlaceSearch search = new PlaceSearch(nextSearch(), table, size, sparing);
    search.offerAll(owner, settled, mayNeverDrain(owner));
    return search.best();
  }

  /** Whether a stream is busy now, and waiting has been in vain for long. */
  private boolean mayNeverDrain(StreamHeap owner) {
    return patience.isSpent() && owner.frontier.isBehind();
  }

  private Block carve(Place place, long size) {
    return carveRun(place.range(), place.address(), size);
  }

  @Override
  Block takeFrom(Block free, long size) {
    return carve(free, free.address, size);
  }

  @Override
  void insert(Block block) {
    super.insert(block);
    if (block.place == Block.Place.SETTLED) {
      table.settled(block.address, block.end());
    }
  }

  @Override
  void remove(Block block) {
    super.remove(block);
    if (block.place == Block.Place.SETTLED) {
      table.unsettled(block.address, block.end());
    }
  }

  @Override
  int shortage(StreamHeap owner, long size) {
    lock.lock();
    try {
      Place place = cheapest(owner, size);
      if (place == null) {
        long pages = size / table.pageSize + 1 - mapper.sparePages() - table.movable.count();
        return (int) Math.max(0, Math.min(pages, Integer.MAX_VALUE));
      }
      int others = table.movableBeside(place.address(), size, place.sparing());
      return Math.max(0, place.missing() - mapper.sparePages() - others);
    } finally {
      lock.unlock();
    }
  }

  @Override
  long bytesToTake(StreamHeap owner, long size) {
    return shortage(owner, size) * table.pageSize;
  }

  /**
   * A block that is taken, and how it gets the pages that it lacks. Made before anything changes,
   * and filled as it changes, so that whatever fails can be undone.
   */
  private static final class Plan {
    final Growth growth;
    boolean settledBefore;
    @Nullable Block block;

    /** Extents elsewhere that give theirs up: hidden, of which the first are lifted by now. */
    final ArrayList<Extent> hidden = new ArrayList<>();

    int lifted;

    /** Extents that are laid under the block as well and are not yet, lowest first. */
    final ArrayList<Doubled> doubled = new ArrayList<>();

    /** Pages under which one extent each is laid, lowest first. */
    List<Span> parts = List.of();

    Plan(Growth growth) {
      this.growth = growth;
    }
  }

  private static int pages(List<? extends PageSpans.Pages> all) {
    int pages = 0;
    for (PageSpans.Pages each : all) {
      pages += each.pages();
    }
    return pages;
  }

  @Override
  Growth grow(StreamHeap owner, long size) {
    Growth grown = new Growth();
    growth.lock();
    try {
      grow(owner, size, false, grown);
      if (grown.block() == null && isMovable()) {
        grow(owner, size, true, grown);
      }
      if (grown.block() == null) {
        grown.got(takePinning(owner, size));
      }
      return grown;
    } finally {
      growth.unlock();
    }
  }

  private boolean isMovable() {
    lock.lock();
    try {
      return table.movable.count() > 0;
    } finally {
      lock.unlock();
    }
  }

  /** A block that has its memory, whatever extents keep from others then: rather that than wait. */
  private @Nullable Block takePinning(StreamHeap owner, long size) {
    lock.lock();
    try {
      Place place = cheapest(owner, size, false);
      return place == null || place.missing() > 0 ? null : owned(carve(place, size), owner);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Grows once.
   *
   * @param scarce whether all that could be moved is moved before more is taken, however little of
   *     it is needed: where memory is short
   */
  private void grow(StreamHeap owner, long size, boolean scarce, Growth grown) {
    mapper.clear();
    Plan plan = new Plan(grown);
    try {
      if (begin(plan, owner, size, scarce)) {
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
  private boolean begin(Plan plan, StreamHeap owner, long size, boolean scarce) {
    lock.lock();
    try {
      Place place = cheapest(owner, size);
      if (place != null && place.missing() == 0) {
        plan.growth.got(owned(carve(place, size), owner));
        return false;
      }
      if (place != null) {
        return fill(plan, place, owner, size, scarce);
      }
    } finally {
      lock.unlock();
    }
    return reserveFor(size, plan.growth) && begin(plan, owner, size, scarce);
  }

  /** Reserves addresses where no range of them is large enough; false if none can be had. */
  private boolean reserveFor(long size, Growth grown) {
    long most = mostBytes / table.pageSize - table.ranges.pages();
    long least = ByteSize.roundUp(size, table.pageSize) / table.pageSize;
    if (least > most) {
      return false;
    }
    long wanted = Math.max(firstBytes / table.pageSize, table.ranges.pages());
    long pages = Math.min(most, Math.max(wanted, BLOCKS_IN_RANGE * least));
    while (true) {
      try {
        addRange((int) pages);
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

  private void addRange(int pages) {
    AddressRanges.Range range = table.ranges.reserve(pages);
    boolean added = false;
    try {
      Segment segment = new Segment(range.base(), range.bytes(), false);
      lock.lock();
      try {
        segments.ensureCapacity(segments.size() + 1);
        settled.prepare(1);
        // From here on nothing needs memory of the JVM.
        segments.add(segment);
        table.regions.moveTo(range);
        segment.first.place = Block.Place.SETTLED;
        settled.add(segment.first);
        added = true;
      } finally {
        lock.unlock();
      }
    } finally {
      if (!added) {
        table.ranges.unreserveLast();
      }
    }
  }

  /** Takes a block and chooses its pages; false if the limit forbids it. Locked. */
  private boolean fill(Plan plan, Place place, StreamHeap owner, long size, boolean scarce) {
    plan.settledBefore = place.range().isSettled();
    table.prepare(table.pageAfter(place.address() + size));
    if (place.sparing()) {
      hide(plan, table.cuts(place.address(), size));
    }
    int[] missing = missingPages(place.address(), size);
    Block block = carve(place, size);
    block.heap = owner;
    plan.block = block;
    int wanted = missing.length - mapper.sparePages() - pages(plan.hidden);
    long room = scarce ? 0 : slack.room() / table.pageSize;
    int mostCreated = (int) Math.min(Math.max(0, wanted), room);
    List<Extent> moved = table.highestMovable(wanted - mostCreated, scarce);
    hide(plan, moved);
    wanted -= pages(moved);
    if (mayNeverDrain(owner)) {
      doubling.leave(block, missing, wanted, plan.doubled);
      // Beneath it may lie from now on what its stream still uses elsewhere.
      plan.settledBefore &= plan.doubled.isEmpty();
    }
    int created = wanted - pages(plan.doubled);
    if (created > 0 && !books.allows(created * table.pageSize)) {
      undoLocked(plan);
      return false;
    }
    plan.parts = parts(block, missing, plan.doubled);
    return true;
  }

  private void hide(Plan plan, List<Extent> extents) {
    plan.hidden.addAll(extents);
    for (int i = 0; i < extents.size(); i++) {
      table.hide(extents.get(i));
    }
  }

  /** What of a block's missing pages is left to be laid, cut into extents. */
  private List<Span> parts(Block block, int[] missing, List<Doubled> doubled) {
    BitSet covered = new BitSet();
    doubled.forEach(each -> covered.set(each.from(), each.to()));
    int[] left = Arrays.stream(missing).filter(page -> !covered.get(page)).toArray();
    return PageSpans.cut(
        PageSpans.of(left),
        table.pageAfter(block.address),
        table.pageOf(block.end()),
        extentPages(block.size));
  }

  /** The most pages of an extent for a block. */
  private int extentPages(long size) {
    long share = (long) (extentShare * (double) (books.held() + size));
    long bytes = Math.min(share, Math.min(size / BLOCK_PARTS, MOST_EXTENT_BYTES));
    return (int) Math.max(1, bytes / table.pageSize);
  }

  /** What the mapper tells of its pages. */
  private final class Addresses implements PageMapper.Addresses {
    @Override
    public void show(List<Extent> laid) {
      lock.lock();
      try {
        for (int i = 0; i < laid.size(); i++) {
          table.show(laid.get(i));
        }
        noteNeed();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void comeBack(List<Stale> left) {
      lock.lock();
      try {
        left.forEach(doubling::comeBack);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void free(Block addresses) {
      lock.lock();
      try {
        settled.prepare(1);
        addresses.place = Block.Place.SETTLED;
        insertMerged(addresses);
      } finally {
        lock.unlock();
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
    int pages = pages(plan.parts) - mapper.sparePages() - pages(plan.hidden);
    boolean asks = plan.parts.size() > UNASKED_EXTENTS && pages > 0;
    return asks && pages * table.pageSize > freeMemory.freeBytes() ? mapper.tryWhole(pages) : null;
  }

  private void execute(Plan plan) {
    int moved = pages(plan.hidden);
    int doubled = pages(plan.doubled);
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
    for (List<Doubled> neighbours : PageSpans.neighbours(List.copyOf(plan.doubled))) {
      mapper.layToo(neighbours, plan.doubled);
    }
    for (List<Span> neighbours : PageSpans.neighbours(plan.parts)) {
      mapper.lay(neighbours);
    }
    books.pagesMoved.add(Math.min(moved, pages(plan.parts)) + doubled);
    plan.growth.got(plan.block);
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
    lockSurely();
    try {
      undoLocked(plan);
    } finally {
      lock.unlock();
    }
  }

  /** Needs no memory of the JVM. Locked. */
  private void undoLocked(Plan plan) {
    for (int i = 0; i < plan.doubled.size(); i++) {
      doubling.comeBack(plan.doubled.get(i).left());
    }
    for (int i = plan.lifted; i < plan.hidden.size(); i++) {
      showAgain(plan.hidden.get(i), plan.block);
    }
    if (plan.block != null) {
      giveUp(plan.block, plan.settledBefore && plan.doubled.isEmpty());
    }
    plan.block = null;
    plan.lifted = plan.hidden.size();
    plan.doubled.clear();
  }

  /**
   * Frees a block that was planned with; its stream may still use a part of what it was. Locked.
   */
  private void giveUp(Block block, boolean settledBefore) {
    block.place = settledBefore ? Block.Place.SETTLED : Block.Place.UNSETTLED;
    block.epoch = block.owner().frontier.epoch();
    insertMerged(block);
  }

  /** Shows an extent that was hidden and did not move. Locked. */
  private void showAgain(Extent extent) {
    table.show(extent);
    table.settled(table.addressOf(extent.from()), table.addressOf(extent.to()));
  }

  /**
   * Shows an extent again before a block is given up. Of one that was to be cut a part lies beneath
   * the block: whether it may move turns out as the block is entered. Locked.
   */
  private void showAgain(Extent extent, @Nullable Block givenUp) {
    boolean apart =
        givenUp == null
            || table.addressOf(extent.to()) <= givenUp.address
            || table.addressOf(extent.from()) >= givenUp.end();
    if (apart) {
      showAgain(extent);
    } else {
      table.show(extent);
    }
  }

  @Override
  long release(long keepBytes) {
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
    int given = mapper.releaseSpares(wanted, beyond);
    List<Extent> hidden;
    lock.lock();
    try {
      hidden = table.highestMovable(wanted - given, beyond);
      hidden.forEach(table::hide);
    } finally {
      lock.unlock();
    }
    int lifted = 0;
    int done = 0;
    try {
      for (List<Extent> neighbours : PageSpans.neighbours(hidden)) {
        int pages = pages(neighbours);
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
  long neededBytes() {
    return (table.mapped.count() - table.movable.count()) * table.pageSize;
  }

  private int pagesAbove(long keepBytes) {
    return Math.toIntExact(
        (Math.max(0, books.reserved() - keepBytes) + table.pageSize - 1) / table.pageSize);
  }

  @Override
  List<Segment> segments() {
    return List.copyOf(segments);
  }

  @Override
  long mappedBytes(Block free) {
    return table.mappedBytes(free.address, free.end());
  }

  @Override
  long unplacedBytes() {
    return mapper.unplaced() * table.pageSize;
  }

  @Override
  void eachMappedRange(Block free, RangeVisitor visitor) {
    table.eachMappedRange(free.address, free.end(), visitor);
  }

  private List<StreamHeap> staleOwners() {
    growth.lock();
    try {
      return stale.owners();
    } finally {
      growth.unlock();
    }
  }

  @Override
  void close() {
    staleOwners().forEach(each -> each.frontier.await());
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
