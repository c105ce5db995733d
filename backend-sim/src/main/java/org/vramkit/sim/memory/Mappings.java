package org.vramkit.sim.memory;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** The mappings of one reservation, found by page in constant time. */
@SuppressWarnings("ReferenceEquality") // FORMER is a mark, compared as such
public final class Mappings {
  private static final int LEAF_SHIFT = 9;
  private static final int LEAF = 1 << LEAF_SHIFT;

  /** Stands on a page that was mapped before. */
  private static final Mapping FORMER = new Mapping(0, new PhysicalMemory(0, 0, null));

  private final long start;
  private final long end;
  private final int pageShift;
  private final @Nullable Mapping[][] leaves;
  private int mappings;

  /** Creates a table without mappings; {@code page} is the granularity, a power of two. */
  public Mappings(long start, long bytes, long page) {
    this.start = start;
    this.end = start + bytes;
    this.pageShift = Long.numberOfTrailingZeros(page);
    long pages = bytes >>> pageShift;
    this.leaves = new @Nullable Mapping[Math.toIntExact((pages + LEAF - 1) >>> LEAF_SHIFT)][];
  }

  public int getCount() {
    return mappings;
  }

  @SuppressWarnings("ReferenceEquality") // FORMER is a mark
  public @Nullable Mapping get(long address) {
    Mapping found = at(address);
    return found == FORMER ? null : found;
  }

  /** Returns whether memory was mapped at an address that has none now. */
  @SuppressWarnings("ReferenceEquality") // FORMER is a mark
  public boolean wasMapped(long address) {
    return at(address) == FORMER;
  }

  private @Nullable Mapping at(long address) {
    int page = page(address);
    Mapping[] leaf = leaves[page >>> LEAF_SHIFT];
    return leaf == null ? null : leaf[page & (LEAF - 1)];
  }

  public @Nullable Mapping firstIn(long from, long to) {
    long step = 1L << pageShift;
    for (long address = from & -step; address < to; address += step) {
      Mapping mapping = get(address);
      if (mapping != null) {
        return mapping;
      }
    }
    return null;
  }

  /** Adds the part of a mapping that lies here, over pages that have none. */
  void add(Mapping mapping) {
    set(mapping, mapping);
    mappings++;
  }

  void remove(Mapping mapping) {
    set(mapping, FORMER);
    mappings--;
  }

  private void set(Mapping range, Mapping value) {
    int last = page(Math.min(end, range.getEnd()) - 1);
    for (int page = page(Math.max(start, range.start())); page <= last; page++) {
      @Nullable Mapping[] leaf = leaves[page >>> LEAF_SHIFT];
      if (leaf == null) {
        leaf = new @Nullable Mapping[LEAF];
        leaves[page >>> LEAF_SHIFT] = leaf;
      }
      leaf[page & (LEAF - 1)] = value;
    }
  }

  private int page(long address) {
    return Math.toIntExact((address - start) >>> pageShift);
  }

  /**
   * Physical memory mapped at reserved addresses, and the ordinals of the devices that may access
   * it.
   */
  public record Mapping(long start, PhysicalMemory physical, BitSet accessible) {
    /** Creates a mapping that no device may access yet. */
    public Mapping(long start, PhysicalMemory physical) {
      this(start, physical, new BitSet());
    }

    public long getEnd() {
      return start + physical.bytes;
    }

    public void setAccessible(int device, boolean allowed) {
      accessible.set(device, allowed);
    }

    public boolean isAccessible(int device) {
      return accessible.get(device);
    }
  }
}
