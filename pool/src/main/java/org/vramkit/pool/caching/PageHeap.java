package org.vramkit.pool.caching;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.PlaceSearch.Place;
import org.vramkit.pool.caching.StaleMappings.Stale;

/**
 * The heap over virtual memory: addresses are plenty, pages are what counts.
 *
 * <h2>One range of addresses</h2>
 *
 * All blocks lie in one reservation, several times as large as the device's memory. A free range
 * may have pages beneath it or not. A request takes the best-fitting range whatever lies beneath,
 * so holes are filled where they are and do not drift upwards.
 *
 * <h2>Pages</h2>
 *
 * A range that lacks pages gets them, cheapest first: physical pages that lie nowhere; pages that
 * lie wholly inside settled free ranges elsewhere, the highest first, so that the top of the heap
 * empties; new ones. Of a range that is longer than the request the end that lacks fewer pages is
 * used. What is reserved therefore follows the pages that are really in use, plus the partly used
 * pages at the edges of live blocks.
 *
 * <h2>Growth</h2>
 *
 * A growth plans under {@code lock}: it takes the block, and hides the pages that will move, so
 * that nobody else uses them. It then calls the driver without {@code lock}. New pages are created
 * first, because that is what fails; then pages are moved. Whatever fails, no page is lost ({@link
 * PageMapper}), and the block is free again.
 *
 * <h2>Streams that never drain</h2>
 *
 * What such a stream has freed can neither move nor go to others. It gathers in a region of its own
 * ({@link Regions}), and before pages are created for that stream its own free ones are laid at the
 * new place as well as where they are ({@link StaleMappings}).
 */
final class PageHeap extends BlockHeap {
  /** Addresses reserved, as a multiple of the device's memory. */
  private static final long ADDRESS_FACTOR = 8;

  private static final int[] NONE = {};

  private final FreeIndex settled = new FreeIndex();
  private final FreeIndex none = new FreeIndex();
  private final PageTable table;
  private final Slack slack;
  private final Segment segment;

  /** Guarded by the growth lock. */
  private final StaleMappings stale;

  private final PageMapper mapper;

  PageHeap(
      Device device,
      CachingAllocatorOptions options,
      Slack slack,
      MemoryBooks books,
      BlockNumbers numbers) {
    this(device, options, ADDRESS_FACTOR, slack, books, numbers);
  }

  /**
   * A heap of its own range of addresses.
   *
   * @param addressFactor how large that is, as a multiple of the device's memory
   * @param slack what may be created while free pages could be moved
   */
  PageHeap(
      Device device,
      CachingAllocatorOptions options,
      long addressFactor,
      Slack slack,
      MemoryBooks books,
      BlockNumbers numbers) {
    super(books, numbers, new Patience(options.growthPatience()));
    this.slack = slack;
    long granularity = device.getVirtualMemory().getGranularity();
    long pageSize = Math.max(granularity, powerOfTwo(options.pageBytes()));
    long total = ByteSize.roundUp(device.getProperties().totalMemoryBytes(), pageSize);
    this.table = new PageTable(device, options.accessors(), pageSize, total * addressFactor);
    this.stale = new StaleMappings(table);
    this.mapper = new PageMapper(table, stale, books, new Addresses());
    this.segment = new Segment(table.base, table.pages * table.pageSize, false);
    segment.first.place = Block.Place.SETTLED;
    settled.add(segment.first);
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
    return table.missing(free.address, size) == 0;
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
    PlaceSearch search = new PlaceSearch(nextSearch(), table, size);
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
      int missing = place == null ? Integer.MAX_VALUE : place.missing();
      return Math.max(0, missing - table.spares() - table.movable.count());
    } finally {
      lock.unlock();
    }
  }

  @Override
  long bytesToTake(StreamHeap owner, long size) {
    return shortage(owner, size) * table.pageSize;
  }

  /** A block that was taken, and how it gets the pages that it lacks. */
  private static final class Plan {
    final Block block;
    final boolean settledBefore;

    /** Pages that spares are laid under. */
    final int[] missing;

    /** Pages elsewhere that become spares. */
    final int[] moved;

    /** Pages that the left ones are laid under. */
    final int[] doubled;

    final List<Stale> left;
    final int created;

    Plan(
        Block block,
        boolean settledBefore,
        int[] missing,
        int[] moved,
        int[] doubled,
        List<Stale> left,
        int created) {
      this.block = block;
      this.settledBefore = settledBefore;
      this.missing = missing;
      this.moved = moved;
      this.doubled = doubled;
      this.left = left;
      this.created = created;
    }
  }

  @Override
  Growth grow(StreamHeap owner, long size) {
    growth.lock();
    try {
      long room = slack.room();
      Growth grown = growWithin(owner, size, room);
      // Where memory is short, what could be moved is moved after all.
      return grown.block() == null && room > 0 ? growWithin(owner, size, 0) : grown;
    } finally {
      growth.unlock();
    }
  }

  /** Creates at most {@code room} bytes more than need be, instead of moving pages. */
  private Growth growWithin(StreamHeap owner, long size, long room) {
    mapper.clear();
    Plan plan;
    lock.lock();
    try {
      Block found = owned(find(owner, size), owner);
      if (found != null) {
        return new Growth(found, null);
      }
      plan = plan(owner, size, room);
    } finally {
      lock.unlock();
    }
    return plan == null ? new Growth(null, null) : execute(plan);
  }

  /** Takes a block and chooses its pages; null if the limit or the addresses forbid it. Locked. */
  private @Nullable Plan plan(StreamHeap owner, long size, long room) {
    Place place = cheapest(owner, size);
    if (place == null) {
      return null;
    }
    boolean settledBefore = place.range().isSettled();
    int[] missing = missingPages(place.address(), size);
    Block block = carve(place, size);
    int wanted = missing.length - table.spares();
    int[] moved = table.highestMovable(wanted - (int) Math.min(wanted, room / table.pageSize));
    block.heap = owner;
    int[] own = wanted > moved.length ? ownPages(missing, block) : NONE;
    List<Stale> left = leave(owner, Math.min(wanted - moved.length, own.length));
    int created = Math.max(0, wanted - moved.length - left.size());
    if (!books.allows(created * table.pageSize)) {
      left.forEach(this::comeBack);
      giveUp(block, settledBefore);
      return null;
    }
    for (int page : moved) {
      table.hide(page);
    }
    int[] doubled = Arrays.copyOf(own, left.size());
    int[] others =
        Arrays.stream(missing).filter(page -> Arrays.binarySearch(doubled, page) < 0).toArray();
    return new Plan(block, settledBefore, others, moved, doubled, left, created);
  }

  /**
   * Those pages of a block that what its own stream may still use may lie beneath: the block covers
   * them, or the rest is the stream's own as well, until it has passed all that it was given so
   * far. Empty unless the stream may never drain. Locked.
   */
  private int[] ownPages(int[] pages, Block block) {
    StreamHeap owner = block.owner();
    if (!mayNeverDrain(owner) || owner.unsettledLarge.isEmpty()) {
      return NONE;
    }
    return Arrays.stream(pages)
        .filter(page -> claim(block.previous, table.addressOf(page), block.address, owner))
        .filter(page -> claim(block.next, block.end(), table.addressOf(page + 1), owner))
        .toArray();
  }

  /** Makes a range beside a block, unless it is empty, its stream's own; false if it cannot be. */
  private boolean claim(@Nullable Block beside, long from, long to, StreamHeap owner) {
    if (from >= to) {
      return true;
    }
    if (beside == null
        || beside.place != Block.Place.SETTLED
        || beside.address > from
        || beside.end() < to) {
      return false;
    }
    Block claimed = carve(beside, from, to - from);
    claimed.place = Block.Place.UNSETTLED;
    claimed.heap = owner;
    claimed.epoch = owner.frontier.epoch();
    insertMerged(claimed);
    return true;
  }

  /**
   * Takes whole pages out of a stream's own unsettled ranges, the smallest first, because they
   * serve fewest requests; at most so many. Locked.
   */
  private List<Stale> leave(StreamHeap owner, int wanted) {
    int most = Math.min(wanted, stale.room());
    if (most <= 0) {
      return List.of();
    }
    List<Stale> left = new ArrayList<>();
    for (Block free : owner.unsettledLarge.copy()) {
      int lowest = table.pageAfter(free.address);
      for (int page = table.pageOf(free.end()) - 1; page >= lowest && left.size() < most; page--) {
        if (table.mapped.get(page)) {
          Block block = carve(free, table.addressOf(page), table.pageSize);
          block.place = Block.Place.STALE;
          table.hide(page);
          owner.staleEpoch = Math.max(owner.staleEpoch, block.epoch);
          left.add(new Stale(block, page, table.handle(page)));
        }
      }
    }
    return left;
  }

  /** A page that was left is its stream's own free page again. Locked. */
  private void comeBack(Stale left) {
    table.show(left.page());
    left.block().place = Block.Place.UNSETTLED;
    insertMerged(left.block());
  }

  /** What the mapper tells of its pages. */
  private final class Addresses implements PageMapper.Addresses {
    @Override
    public void show(PageRuns.Run run) {
      lock.lock();
      try {
        for (int page = run.from(); page < run.to(); page++) {
          table.show(page);
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
        left.forEach(PageHeap.this::comeBack);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void free(Block addresses) {
      lock.lock();
      try {
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

  private Growth execute(Plan plan) {
    int unmapped = 0;
    List<Stale> left = new ArrayList<>(plan.left);
    try {
      DeviceOutOfMemoryException refusal = mapper.createSpares(plan.created);
      if (refusal != null) {
        undo(plan, 0, left);
        return new Growth(null, refusal);
      }
      for (PageRuns.Run run : PageRuns.of(plan.moved)) {
        table.unmapToSpares(run.from(), run.to());
        unmapped += run.to() - run.from();
      }
      for (PageRuns.Run run : PageRuns.of(plan.doubled)) {
        mapper.mapToo(run, left);
      }
      for (PageRuns.Run run : PageRuns.of(plan.missing)) {
        mapper.mapSpares(run);
      }
    } catch (DeviceOutOfMemoryException refusal) {
      // Mapping takes memory of the driver's own.
      undo(plan, unmapped, left);
      return new Growth(null, refusal);
    } catch (RuntimeException e) {
      undo(plan, unmapped, left);
      throw e;
    }
    books.pagesMoved.add(plan.moved.length + plan.doubled.length);
    return new Growth(plan.block, null);
  }

  /**
   * Frees a block whose growth failed; nothing has used it. Pages that were to move and did not are
   * where they were, the others are spares by now or lie under the block.
   */
  private void undo(Plan plan, int unmapped, List<Stale> left) {
    lock.lock();
    try {
      left.forEach(this::comeBack);
      showAgain(plan.moved, unmapped);
      // Beneath it may lie by now what its stream still uses elsewhere.
      giveUp(plan.block, plan.settledBefore && plan.left.isEmpty());
    } finally {
      lock.unlock();
    }
  }

  /**
   * Frees a block that was planned with; a part of a run may still be used by its stream. Locked.
   */
  private void giveUp(Block block, boolean settledBefore) {
    block.place = settledBefore ? Block.Place.SETTLED : Block.Place.UNSETTLED;
    block.epoch = block.owner().frontier.epoch();
    insertMerged(block);
  }

  /** Shows pages that were hidden and did not move. Locked. */
  private void showAgain(int[] pages, int from) {
    for (int i = from; i < pages.length; i++) {
      table.show(pages[i]);
      table.settled(table.addressOf(pages[i]), table.addressOf(pages[i] + 1));
    }
  }

  @Override
  long release(long keepBytes) {
    growth.lock();
    try {
      mapper.clear();
      return releasePages(pagesAbove(keepBytes));
    } finally {
      growth.unlock();
    }
  }

  @Override
  long giveBack(long mostBytes) {
    mapper.clear();
    return releasePages(Math.toIntExact(mostBytes / table.pageSize));
  }

  /** Gives spares back, then the highest pages that may move; at most so many. */
  private long releasePages(int most) {
    int spares = Math.min(most, table.spares());
    mapper.releaseSpares(spares);
    int[] pages;
    lock.lock();
    try {
      pages = table.highestMovable(most - spares);
      for (int page : pages) {
        table.hide(page);
      }
    } finally {
      lock.unlock();
    }
    int done = 0;
    try {
      for (PageRuns.Run run : PageRuns.of(pages)) {
        table.unmapToSpares(run.from(), run.to());
        done += run.to() - run.from();
      }
    } catch (RuntimeException e) {
      lock.lock();
      try {
        showAgain(pages, done);
      } finally {
        lock.unlock();
      }
      throw e;
    }
    mapper.releaseSpares(pages.length);
    return (spares + pages.length) * table.pageSize;
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
    return List.of(segment);
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
    table.unreserve();
  }
}
