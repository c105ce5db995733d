package org.vramkit.pool.caching.internal.page;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.support.StackRoom;

/**
 * Which extent lies under which reserved pages. The maps are as long as pages were used. They are
 * guarded by the heap's lock; the driver is called under the growth lock alone, on pages that the
 * maps show as absent, so nobody else looks at them.
 */
public final class PageTable {
  /** Pages in the first maps. */
  private static final int FIRST_ROOM = 64;

  public final long pageSize;
  public final AddressRanges ranges;

  /** Pages that memory lies beneath. */
  public final PageBitmap mapped = new PageBitmap();

  /** Mapped pages of extents wholly inside settled free ranges: what may move. */
  public final PageBitmap movable = new PageBitmap();

  /** Mapped pages of extents that have several. */
  public final PageBitmap joint = new PageBitmap();

  /**
   * Pages that a block may keep from others, because it took another part of their extent; until
   * nothing of that is used.
   */
  public final PageBitmap parted = new PageBitmap();

  private final Device device;
  private final List<Device> accessors;
  private final VirtualMemory memory;
  private final MemoryObserver observer;
  private final PoolObserver poolObserver;
  private @Nullable Extent[] extents = new Extent[0];

  /** One past the highest page that was ever mapped; bounds what range operations look at. */
  private int highest;

  /**
   * No pages, and no addresses.
   *
   * @param accessors other devices that may touch them
   * @param pageSize a power of two, and at least what the device can map
   * @param poolObserver hears what lies where
   */
  public PageTable(
      Device device, List<Device> accessors, long pageSize, PoolObserver poolObserver) {
    this.device = device;
    this.accessors = accessors;
    this.memory = device.getVirtualMemory();
    this.observer = device.getMemoryObserver();
    this.poolObserver = poolObserver;
    this.pageSize = pageSize;
    this.ranges = new AddressRanges(memory, pageSize);
  }

  public int pageOf(long address) {
    return ranges.pageOf(address);
  }

  /** The page after the last one that holds a byte below {@code end}. */
  public int pageAfter(long end) {
    return ranges.pageAfter(end);
  }

  public long addressOf(int page) {
    return ranges.addressOf(page);
  }

  /**
   * Makes room in the maps for pages below one, so that whatever is done with them needs no memory
   * of the JVM. Under the growth lock and the heap's.
   *
   * @return for how many pages there is room now
   */
  public int prepare(int to) {
    if (to > extents.length) {
      int room = Math.max(to, Math.max(FIRST_ROOM, extents.length + extents.length / 2));
      mapped.prepare(room);
      movable.prepare(room);
      joint.prepare(room);
      parted.prepare(room);
      extents = Arrays.copyOf(extents, room);
    }
    return extents.length;
  }

  /**
   * How many pages under a block would have to get memory: those without, and those whose extent
   * would have to be cut. Locked.
   *
   * @param cutting whether extents are cut
   */
  public int missing(long address, long size, boolean cutting) {
    int from = pageOf(address);
    int to = pageAfter(address + size);
    int absent = to - from - mapped.count(from, Math.max(from, Math.min(to, highest)));
    if (!cutting || absent == to - from) {
      return absent;
    }
    Extent first = cutAt(from, address, address + size);
    Extent last = cutAt(to - 1, address, address + size);
    return absent + covered(first, from, to) + (last == first ? 0 : covered(last, from, to));
  }

  /**
   * Pages that may move to a block: all that may move but those that lie beneath it and stay.
   * Locked.
   *
   * @param cutting whether extents are cut
   */
  public int movableBeside(long address, long size, boolean cutting) {
    int from = pageOf(address);
    int to = pageAfter(address + size);
    int kept = movable.count(from, Math.max(from, Math.min(to, highest)));
    for (Extent each : cuts(address, size)) {
      // What is cut moves as a whole; what is not stays as a whole.
      int beneath = covered(each, from, to);
      kept += cutting ? -beneath : each.pages() - beneath;
    }
    return movable.count() - kept;
  }

  /**
   * How many more pages a block keeps from others than it covers, because extents lie beneath it in
   * part that cannot be cut; negative where it covers pages that nobody else could have. Locked.
   *
   * @param from where the free range begins of which the block is taken
   * @param end where it ends
   */
  public int pinned(long address, long size, long from, long end) {
    Extent first = reaching(pageOf(address), address, address + size);
    Extent last = reaching(pageAfter(address + size) - 1, address, address + size);
    int pinned = pinnedBy(first, address, size, from, end);
    return last == first ? pinned : pinned + pinnedBy(last, address, size, from, end);
  }

  /** Pages of extents that may move now and could not beneath a block. Locked. */
  public int pinnedAnew(long address, long size) {
    int from = pageOf(address);
    int to = pageAfter(address + size);
    return movable.count(from, to) + beyond(from, to);
  }

  /** Pages before and behind some pages whose extents reach into them and may move. */
  private int beyond(int from, int to) {
    int beyond = 0;
    if (movable.get(from)) {
      beyond += from - at(from).from();
    }
    if (movable.get(to - 1)) {
      beyond += at(to - 1).to() - to;
    }
    return beyond;
  }

  private int pinnedBy(@Nullable Extent extent, long address, long size, long from, long end) {
    if (extent == null || movable.get(extent.from())) {
      return 0;
    }
    int first = pageOf(address);
    int after = pageAfter(address + size);
    if (addressOf(extent.from()) >= from && addressOf(extent.to()) <= end) {
      return extent.pages() - covered(extent, first, after);
    }
    // Somebody else uses a part of it already.
    int free = covered(extent, Math.max(first, pageAfter(from)), Math.min(after, pageOf(end)));
    return -Math.max(0, free);
  }

  private static int covered(@Nullable Extent extent, int from, int to) {
    return extent == null ? 0 : Math.min(to, extent.to()) - Math.max(from, extent.from());
  }

  /** The extent beneath a page of a block if it reaches beyond what is the block's alone. */
  private @Nullable Extent reaching(int page, long address, long end) {
    if (!joint.get(page)) {
      return null;
    }
    Extent extent = at(page);
    boolean inside = extent.from() >= pageAfter(address) && extent.to() <= pageOf(end);
    return inside ? null : extent;
  }

  /** The same if nothing uses it: then it can go back and come in parts. */
  private @Nullable Extent cutAt(int page, long address, long end) {
    Extent extent = reaching(page, address, end);
    return extent == null || !movable.get(page) ? null : extent;
  }

  /** The extents that have to be cut where a block is taken. Locked. */
  public List<Extent> cuts(long address, long size) {
    Extent first = cutAt(pageOf(address), address, address + size);
    Extent last = cutAt(pageAfter(address + size) - 1, address, address + size);
    List<Extent> cuts = new ArrayList<>(2);
    if (first != null) {
      cuts.add(first);
    }
    if (last != null && last != first) {
      cuts.add(last);
    }
    return cuts;
  }

  /** What lies beneath a page. */
  public Extent at(int page) {
    Extent extent = extents[page];
    if (extent == null) {
      throw new IllegalStateException("nothing lies beneath page " + page);
    }
    return extent;
  }

  /** Bytes of a range that memory lies beneath. Locked. */
  public long mappedBytes(long address, long end) {
    if (mapped.count() == 0) {
      // Perhaps the addresses went back too.
      return 0;
    }
    int from = pageOf(address);
    int to = Math.min(pageAfter(end), highest);
    if (to <= from) {
      return 0;
    }
    long bytes = mapped.count(from, to) * pageSize;
    if (mapped.get(from)) {
      bytes -= address - addressOf(from);
    }
    if (pageAfter(end) == to && mapped.get(to - 1)) {
      bytes -= addressOf(to) - end;
    }
    return bytes;
  }

  /** Visits the parts of a range that memory lies beneath. Locked. */
  public void eachMappedRange(long address, long end, RangeVisitor visitor) {
    if (mapped.count() == 0) {
      return;
    }
    long from = nextMapped(address, end);
    while (from < end) {
      long to = nextUnmapped(from, end);
      visitor.visit(from, to);
      from = nextMapped(to, end);
    }
  }

  /** The first address from one on that memory lies beneath, or the end. Locked. */
  public long nextMapped(long address, long end) {
    int first = pageOf(address);
    int after = Math.min(pageAfter(end), highest);
    int page = mapped.next(first, after);
    return page >= after ? end : page == first ? address : addressOf(page);
  }

  /** The first address from one on that no memory lies beneath, or the end. Locked. */
  public long nextUnmapped(long address, long end) {
    int after = pageAfter(end);
    int page = mapped.nextAbsent(pageOf(address), after);
    return page >= after ? end : addressOf(page);
  }

  /**
   * A part of a settled range became free of use, and with it the extents that reach into the part
   * and lie wholly inside the range. Locked.
   */
  public void settled(long address, long end, long rangeAddress, long rangeEnd) {
    int lowest = pageAfter(rangeAddress);
    int after = Math.min(pageOf(rangeEnd), highest);
    int from = Math.max(pageOf(address), lowest);
    int to = Math.min(pageAfter(end), after);
    if (from < to && joint.get(from)) {
      Extent first = at(from);
      from = first.from() < lowest ? first.to() : first.from();
    }
    if (from < to && joint.get(to - 1)) {
      Extent last = at(to - 1);
      to = last.to() > after ? last.from() : last.to();
    }
    if (from < to) {
      movable.addAll(mapped, from, to);
      parted.clear(from, to);
    }
  }

  /** An extent wholly inside a settled range is free of use. Locked. */
  public void settled(Extent extent) {
    movable.set(extent.from(), extent.to());
    parted.clear(extent.from(), extent.to());
  }

  /** Memory may be used by a stream again: what reaches into it may not move. Locked. */
  public void used(long address, long end) {
    pin(pageOf(address), pageAfter(end));
  }

  /** A block takes a range, whose ends may be parts of extents; those may not move. Locked. */
  public void taken(long address, long end) {
    int from = pageOf(address);
    int to = pageAfter(end);
    pin(from, to);
    part(reaching(from, address, end), from, to);
    part(reaching(to - 1, address, end), from, to);
  }

  private void pin(int from, int to) {
    int last = Math.min(to, highest);
    if (from < last) {
      movable.clear(
          movable.get(from) ? at(from).from() : from,
          movable.get(last - 1) ? at(last - 1).to() : last);
    }
  }

  private void part(@Nullable Extent extent, int from, int to) {
    if (extent != null) {
      parted.set(extent.from(), Math.max(extent.from(), Math.min(from, extent.to())));
      parted.set(Math.min(extent.to(), Math.max(to, extent.from())), extent.to());
    }
  }

  /** Shows an extent's pages as absent, before it is moved away. Locked. */
  public void hide(Extent extent) {
    mapped.clear(extent.from(), extent.to());
    movable.clear(extent.from(), extent.to());
    joint.clear(extent.from(), extent.to());
    parted.clear(extent.from(), extent.to());
  }

  /**
   * Extents that may move, the highest first. Locked.
   *
   * @param wanted pages
   * @param most extents
   * @param beyond whether the last one may have more pages than are still wanted
   * @return as many pages as are wanted, unless there are fewer, or all extents left are larger
   */
  public List<Extent> highestMovable(int wanted, int most, boolean beyond) {
    List<Extent> found = new ArrayList<>();
    Extent larger = null;
    int left = wanted;
    int page = left > 0 ? movable.previous(highest - 1) : -1;
    while (page >= 0 && left > 0 && found.size() < most) {
      Extent extent = at(page);
      if (extent.pages() <= left) {
        found.add(extent);
        left -= extent.pages();
      } else if (larger == null || extent.pages() < larger.pages()) {
        larger = extent;
      }
      page = movable.previous(extent.from() - 1);
    }
    if (left > 0 && beyond && larger != null) {
      found.add(larger);
    }
    return found;
  }

  /** The shortest extent of some pages that may move, the highest of those; or null. Locked. */
  public @Nullable Extent shortestMovable(int least, int most) {
    Extent shortest = null;
    int page = movable.previous(highest - 1);
    while (page >= 0 && (shortest == null || shortest.pages() > least)) {
      Extent extent = at(page);
      int pages = extent.pages();
      if (pages >= least && pages <= most && (shortest == null || pages < shortest.pages())) {
        shortest = extent;
      }
      page = movable.previous(extent.from() - 1);
    }
    return shortest;
  }

  /** The extents that lie wholly inside a range, the highest first. Locked. */
  public List<Extent> inside(long address, long end) {
    List<Extent> inside = new ArrayList<>();
    int lowest = pageAfter(address);
    int to = Math.min(pageOf(end), highest);
    int page = mapped.previous(to - 1);
    while (page >= lowest) {
      Extent extent = at(page);
      if (extent.from() >= lowest && extent.to() <= to) {
        inside.add(extent);
      }
      page = mapped.previous(extent.from() - 1);
    }
    return inside;
  }

  /** Shows the pages of an extent as present. Locked. */
  public void show(Extent extent) {
    mapped.set(extent.from(), extent.to());
    if (extent.pages() > 1) {
      joint.set(extent.from(), extent.to());
    }
    highest = Math.max(highest, extent.to());
  }

  // ---- driver, under the growth lock ----

  public Extent create(int pages) {
    StackRoom.forMiss();
    Extent extent = new Extent(pages);
    extent.handle = memory.create(pages * pageSize);
    return extent;
  }

  public void release(Extent extent) {
    StackRoom.forMiss();
    memory.release(extent.handle);
  }

  /** Maps an extent at hidden pages; not accessible yet. */
  public void map(int page, Extent extent) {
    StackRoom.forMiss();
    memory.map(addressOf(page), extent.pages() * pageSize, extent.handle);
    boolean moved = extent.layAt(page);
    Arrays.fill(extents, page, page + extent.pages(), extent);
    poolObserver.mapped(addressOf(page), extent.pages() * pageSize, moved);
  }

  public void allowAccess(PageSpans.Span span) {
    StackRoom.forMiss();
    long bytes = span.pages() * pageSize;
    memory.setAccess(addressOf(span.from()), bytes, device);
    for (Device accessor : accessors) {
      memory.setAccess(addressOf(span.from()), bytes, accessor);
    }
  }

  /** Unmaps adjacent extents, and tells which they were. */
  public List<Extent> unmap(PageSpans.Span span) {
    List<Extent> unmapped = new ArrayList<>();
    for (int page = span.from(); page < span.to(); page += at(page).pages()) {
      unmapped.add(at(page));
    }
    StackRoom.forMiss();
    observer.enterPool();
    try {
      memory.unmap(addressOf(span.from()), span.pages() * pageSize);
    } finally {
      observer.leavePool();
    }
    Arrays.fill(extents, span.from(), span.to(), null);
    poolObserver.unmapped(addressOf(span.from()), span.pages() * pageSize);
    return unmapped;
  }

  public void unreserve() {
    ranges.unreserve();
  }
}
