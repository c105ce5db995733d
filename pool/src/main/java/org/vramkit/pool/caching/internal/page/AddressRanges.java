package org.vramkit.pool.caching.internal.page;

import java.util.Arrays;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.pool.support.StackRoom;

/**
 * The addresses that a heap has reserved, as pages that are numbered throughout. They come in
 * ranges, each as long as all before it at least, so a heap that stays small reserves little, and a
 * large one looks at few. A number between two ranges belongs to none, so pages of different ranges
 * are never neighbours.
 *
 * <p>Reserved and given back under the growth lock; read by anybody.
 */
public final class AddressRanges {
  /**
   * Addresses and their pages. Nobody else's begin right behind, so an address at the end is this
   * range's too.
   */
  public record Range(long base, long bytes, int firstPage, int pages) {
    boolean holds(long address) {
      long offset = address - base;
      return offset >= 0 && offset <= bytes;
    }
  }

  private static final Range NONE = new Range(0, -1, Integer.MAX_VALUE, 0);

  private final VirtualMemory memory;
  private final long pageSize;
  private final int pageShift;
  private volatile Range[] ranges = {};

  /** The last of them, in which most addresses are; no address where there is none. */
  private volatile Range last = NONE;

  /**
   * None yet.
   *
   * @param pageSize a power of two, and at least what the device can map
   */
  AddressRanges(VirtualMemory memory, long pageSize) {
    this.memory = memory;
    this.pageSize = pageSize;
    this.pageShift = Long.numberOfTrailingZeros(pageSize);
  }

  /** Pages of all of them. */
  public int pages() {
    int pages = 0;
    for (Range range : ranges) {
      pages += range.pages;
    }
    return pages;
  }

  /**
   * Reserves one more.
   *
   * @param pages how many
   * @throws org.vramkit.api.error.DeviceOutOfMemoryException if no such range is free
   */
  public Range reserve(int pages) {
    StackRoom.forMiss();
    Range[] before = ranges;
    int first = 0;
    if (before.length > 0) {
      Range last = before[before.length - 1];
      first = last.firstPage + last.pages + 1;
    }
    // No number overflows.
    Math.addExact(first, pages);
    long bytes = pages * pageSize;
    Range[] more = Arrays.copyOf(before, before.length + 1);
    // One page more, where nothing is ever mapped.
    long base = memory.reserve(bytes + pageSize);
    try {
      Range range = new Range(base, bytes, first, pages);
      more[before.length] = range;
      ranges = more;
      last = range;
      return range;
    } catch (Error e) {
      memory.unreserve(base, bytes + pageSize);
      throw e;
    }
  }

  /** Gives all back; nothing is mapped any more. */
  void unreserve() {
    while (ranges.length > 0) {
      unreserveLast();
    }
  }

  /** Gives the last one back. */
  public void unreserveLast() {
    StackRoom.forMiss();
    Range[] before = ranges;
    Range[] fewer = Arrays.copyOf(before, before.length - 1);
    Range gone = before[before.length - 1];
    memory.unreserve(gone.base, gone.bytes + pageSize);
    ranges = fewer;
    last = fewer.length == 0 ? NONE : fewer[fewer.length - 1];
  }

  /** The page that an address is in; of an end, the one behind what is whole below it. */
  int pageOf(long address) {
    Range range = rangeOf(address);
    return range.firstPage + (int) ((address - range.base) >>> pageShift);
  }

  /** The page behind the last one that holds a byte below an address. */
  int pageAfter(long end) {
    Range range = rangeOf(end);
    return range.firstPage + (int) ((end - range.base + pageSize - 1) >>> pageShift);
  }

  /** Where a page begins, or the one before it ends. */
  long addressOf(int page) {
    Range range = last;
    if (page < range.firstPage) {
      range = earlierRangeOf(page);
    }
    return range.base + (page - range.firstPage) * pageSize;
  }

  private Range earlierRangeOf(int page) {
    Range[] all = ranges;
    for (int i = all.length - 1; i >= 0; i--) {
      if (page >= all[i].firstPage) {
        return all[i];
      }
    }
    throw new IllegalStateException("no addresses are reserved for page " + page);
  }

  private Range rangeOf(long address) {
    Range range = last;
    return range.holds(address) ? range : earlierRangeOf(address);
  }

  /** The largest come last, and most addresses are in them. */
  private Range earlierRangeOf(long address) {
    Range[] all = ranges;
    for (int i = all.length - 1; i >= 0; i--) {
      if (all[i].holds(address)) {
        return all[i];
      }
    }
    throw new IllegalStateException("0x" + Long.toHexString(address) + " is not reserved");
  }
}
