package org.vramkit.pool.caching;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.VirtualMemory;

/**
 * Which physical page lies under which page of the one reservation. The maps are guarded by the
 * heap's lock; the driver is called under the growth lock alone, on pages that the maps show as
 * absent, so nobody else looks at them.
 */
final class PageTable {
  final long pageSize;
  final long base;
  final int pages;

  /** Where streams that are always busy gather their blocks. */
  final Regions regions;

  /** Pages that memory lies beneath. */
  final PageBitmap mapped;

  /** Mapped pages wholly inside settled free ranges: what may move. */
  final PageBitmap movable;

  private final Device device;
  private final List<Device> accessors;
  private final VirtualMemory memory;
  private final long[] handles;
  private final int pageShift;

  /** Physical pages that lie nowhere at the moment. Guarded by the growth lock. */
  private final ArrayDeque<Long> spares = new ArrayDeque<>();

  private volatile int spareCount;

  /** One past the highest page that was ever mapped; bounds what range operations look at. */
  private int highest;

  /**
   * No pages in a new reservation.
   *
   * @param accessors other devices that may touch them
   * @param pageSize a power of two, and at least what the device can map
   * @param addressBytes a multiple of that
   */
  PageTable(Device device, List<Device> accessors, long pageSize, long addressBytes) {
    this.device = device;
    this.accessors = accessors;
    this.memory = device.getVirtualMemory();
    this.pageSize = pageSize;
    this.pageShift = Long.numberOfTrailingZeros(pageSize);
    this.pages = Math.toIntExact(addressBytes / pageSize);
    this.base = memory.reserve(pages * pageSize);
    this.regions = new Regions(base, addressBytes);
    this.mapped = new PageBitmap(pages);
    this.movable = new PageBitmap(pages);
    this.handles = new long[pages];
  }

  int pageOf(long address) {
    return (int) ((address - base) >>> pageShift);
  }

  /** The page after the last one that holds a byte below {@code end}. */
  int pageAfter(long end) {
    return (int) ((end - base + pageSize - 1) >>> pageShift);
  }

  long addressOf(int page) {
    return base + page * pageSize;
  }

  /** How many pages under a range have no memory. Locked. */
  int missing(long address, long size) {
    int from = pageOf(address);
    int to = pageAfter(address + size);
    return to - from - mapped.count(from, Math.max(from, Math.min(to, highest)));
  }

  /** Bytes of a range that memory lies beneath. Locked. */
  long mappedBytes(long address, long end) {
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
  void eachMappedRange(long address, long end, BlockHeap.RangeVisitor visitor) {
    int page = pageOf(address);
    int to = Math.min(pageAfter(end), highest);
    while (page < to) {
      int from = page;
      while (page < to && mapped.get(page)) {
        page++;
      }
      if (page > from) {
        visitor.visit(Math.max(address, addressOf(from)), Math.min(end, addressOf(page)));
      }
      page++;
    }
  }

  /** The whole pages of a range became free of use. Locked. */
  void settled(long address, long end) {
    int from = pageAfter(address);
    int to = Math.min((int) ((end - base) >>> pageShift), highest);
    if (from < to) {
      movable.addAll(mapped, from, to);
    }
  }

  /** A range is free of use no more. Locked. */
  void unsettled(long address, long end) {
    int from = pageAfter(address);
    int to = Math.min((int) ((end - base) >>> pageShift), highest);
    if (from < to) {
      movable.clear(from, to);
    }
  }

  /** Shows a page as absent, before its memory is moved away. Locked. */
  void hide(int page) {
    mapped.clear(page);
    movable.clear(page);
  }

  /** The highest pages that may move, at most so many, highest first. Locked. */
  int[] highestMovable(int wanted) {
    int count = Math.max(0, Math.min(wanted, movable.count()));
    int[] found = new int[count];
    int page = highest;
    for (int i = 0; i < count; i++) {
      page = movable.previous(page - 1);
      found[i] = page;
    }
    return found;
  }

  /** Shows a page as present. Locked. */
  void show(int page) {
    mapped.set(page);
    highest = Math.max(highest, page + 1);
  }

  // ---- driver, under the growth lock ----

  /** Physical pages that lie nowhere; readable by anybody. */
  int spares() {
    return spareCount;
  }

  void addSpare(long handle) {
    spares.push(handle);
    spareCount = spares.size();
  }

  long takeSpare() {
    long handle = spares.pop();
    spareCount = spares.size();
    return handle;
  }

  long create() {
    return memory.create(pageSize);
  }

  void release(long handle) {
    memory.release(handle);
  }

  /** Maps a physical page at a hidden page; not accessible yet. */
  void map(int page, long handle) {
    memory.map(addressOf(page), pageSize, handle);
    handles[page] = handle;
  }

  void allowAccess(int from, int to) {
    long bytes = (to - from) * pageSize;
    memory.setAccess(addressOf(from), bytes, device);
    for (Device accessor : accessors) {
      memory.setAccess(addressOf(from), bytes, accessor);
    }
  }

  /** The physical page that was mapped at a page. */
  long handle(int page) {
    return handles[page];
  }

  /** Unmaps adjacent pages whose physical pages lie elsewhere too. */
  void unmap(int from, int to) {
    memory.unmap(addressOf(from), (to - from) * pageSize);
    Arrays.fill(handles, from, to, 0);
  }

  /** Unmaps adjacent pages and keeps their physical pages as spares. */
  void unmapToSpares(int from, int to) {
    long[] unmapped = Arrays.copyOfRange(handles, from, to);
    unmap(from, to);
    for (long handle : unmapped) {
      addSpare(handle);
    }
  }

  void unreserve() {
    memory.unreserve(base, pages * pageSize);
  }
}
