package org.vramkit.sim.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.memory.Mappings.Mapping;

/**
 * The addresses of the simulated process. Addresses of all devices and of page-locked host memory
 * are distinct, as with CUDA's unified addressing.
 */
public final class AddressSpace {
  /** Device addresses: 47 bits, of which the lowest 2 TiB and the host's part stay unused. */
  private static final long DEVICE_START = 0x200_0000_0000L;

  private static final long HOST_START = 0x7000_0000_0000L;
  private static final long HOST_END = 0x8000_0000_0000L;

  public final AddressArena deviceArena;
  private final AddressArena hostArena;

  /** The addresses of reservations. */
  public final RangeAddresses reservations;

  /** Page-locked and managed memory, which takes no device's memory. */
  public final BlockSpace hostBlocks;

  private final TreeMap<Long, Region> regions = new TreeMap<>();

  /**
   * The freed regions that work queued before may still access, by the addresses of what later
   * regions have left of them.
   */
  private final TreeMap<Long, Region> retired = new TreeMap<>();

  private @Nullable Region lastFound;

  /** Creates a space without regions; {@code fresh} if freed addresses are not reused soon. */
  public AddressSpace(boolean fresh) {
    deviceArena = new AddressArena(DEVICE_START, HOST_START - DEVICE_START, fresh);
    hostArena = new AddressArena(HOST_START, HOST_END - HOST_START, fresh);
    reservations = new RangeAddresses(deviceArena, false);
    hostBlocks = new BlockSpace(hostArena, BlockSpace.UNLIMITED, RangeAddresses.PAGE);
  }

  public static boolean isOfHost(long address) {
    return address >= HOST_START && address < HOST_END;
  }

  public void add(Region region) {
    if (!retired.isEmpty()) {
      coverRetired(region);
    }
    regions.put(region.start(), region);
    lastFound = null;
  }

  /**
   * Leaves of retired regions what a new one, which has some of their addresses, does not cover.
   */
  private void coverRetired(Region region) {
    Long before = retired.floorKey(region.start());
    long from = before == null ? region.start() : before;
    for (long start : List.copyOf(retired.subMap(from, region.getEnd()).keySet())) {
      Region old = Objects.requireNonNull(regions.get(start), "retired");
      if (old.getEnd() > region.start()) {
        Region whole = Objects.requireNonNull(retired.remove(start), "whole");
        regions.remove(start);
        keepRetired(old, start, region.start(), whole);
        keepRetired(old, region.getEnd(), old.getEnd(), whole);
      }
    }
  }

  private void keepRetired(Region old, long start, long end, Region whole) {
    if (start < end) {
      regions.put(start, old.part(start, end));
      retired.put(start, whole);
    }
  }

  public void remove(long address) {
    regions.remove(address);
    retired.remove(address);
    lastFound = null;
  }

  /** Ends a region for new calls. Work that was queued before keeps its bytes until the removal. */
  public void retire(Region region) {
    retired.put(region.start(), region);
  }

  /** Removes what is left of a region that was {@linkplain #retire retired}. */
  public void removeRetired(Region region) {
    retired
        .subMap(region.start(), region.getEnd())
        .entrySet()
        .removeIf(
            each -> {
              boolean left = region.equals(each.getValue());
              if (left) {
                regions.remove(each.getKey());
              }
              return left;
            });
    lastFound = null;
  }

  /** Returns the region of an address that new calls may use; null for none. */
  public @Nullable Region live(long address) {
    Region region = containing(address);
    return region == null || retired.containsKey(region.start()) ? null : region;
  }

  /** Returns the live region that starts at an address; null for none. */
  public @Nullable Region startingAt(long address) {
    return retired.containsKey(address) ? null : regions.get(address);
  }

  public @Nullable Region containing(long address) {
    Region region = lastFound;
    if (region == null || address < region.start() || address >= region.getEnd()) {
      Map.Entry<Long, Region> below = regions.floorEntry(address);
      region = below == null ? null : below.getValue();
      lastFound = region;
    }
    return region != null && address < region.getEnd() ? region : null;
  }

  /**
   * Returns the stored parts of a range as a device finds them now. Leaves out addresses without
   * memory, and mappings that the device may not access.
   */
  public List<Piece> pieces(long address, long bytes, int device) {
    List<Piece> pieces = new ArrayList<>();
    long position = address;
    long end = address + bytes;
    while (position < end) {
      Region region = containing(position);
      if (region == null) {
        Long next = regions.higherKey(position);
        position = next == null ? end : next;
        continue;
      }
      long stop = Math.min(end, region.getEnd());
      Mappings pages = region.pages();
      if (pages != null) {
        position = mapped(pages, position, stop, address, device, pieces);
      } else {
        PhysicalMemory physical = region.physical();
        if (physical != null && physical.content != null) {
          long offset = position - region.start();
          pieces.add(new Piece(physical.content, offset, position - address, stop - position));
        }
        position = stop;
      }
    }
    return pieces;
  }

  private static long mapped(
      Mappings pages, long from, long stop, long base, int device, List<Piece> pieces) {
    Mapping mapping = pages.get(from);
    if (mapping == null) {
      Mapping next = pages.firstIn(from, stop);
      return next == null ? stop : Math.min(stop, Math.max(from, next.start()));
    }
    long end = Math.min(stop, mapping.getEnd());
    ByteStore content = mapping.physical().content;
    if (content != null && mapping.isAccessible(device)) {
      pieces.add(new Piece(content, from - mapping.start(), from - base, end - from));
    }
    return end;
  }

  /** A part of a range: its place in the content, and its position in the range. */
  public record Piece(ByteStore content, long offset, long position, long bytes) {}

  /**
   * A range of addresses that the driver allocated or reserved for a device.
   *
   * @param physical the memory of the whole range; null for a reservation
   * @param pages the mappings of a reservation; null for other kinds
   * @param accessors ordinals of the devices that its pool is open to; changes with the pool
   */
  public record Region(
      RegionKind kind,
      int device,
      long start,
      long bytes,
      @Nullable PhysicalMemory physical,
      @Nullable Mappings pages,
      Set<Integer> accessors) {
    /** Creates a region that has memory at all its addresses. */
    public static Region backed(
        RegionKind kind, int device, long start, long bytes, PhysicalMemory physical) {
      return new Region(kind, device, start, bytes, physical, null, Set.of());
    }

    /** Creates a region of a driver's pool, whose access may change. */
    public static Region pooled(
        int device, long start, long bytes, PhysicalMemory physical, Set<Integer> accessors) {
      return new Region(RegionKind.POOL, device, start, bytes, physical, null, accessors);
    }

    /** Returns whether its pool is open to another device. */
    public boolean isOpenTo(int other) {
      return accessors.contains(other);
    }

    /** Returns whether it is plain memory, which peer access opens and copies stage. */
    public boolean isPlain() {
      return kind == RegionKind.PLAIN || kind == RegionKind.VARIABLE;
    }

    /** Returns a part of a region that has memory at all its addresses. */
    Region part(long from, long end) {
      PhysicalMemory whole = Objects.requireNonNull(physical, "memory");
      ByteStore content = whole.content;
      long size = end - from;
      ByteStore slice =
          content == null
              ? null
              : new SlicedBytes(List.of(new SlicedBytes.Part(content, from - start, size)));
      PhysicalMemory memory = new PhysicalMemory(whole.device, size, slice);
      return new Region(kind, device, from, size, memory, null, accessors);
    }

    /** Creates a reservation, without memory. */
    public static Region reserved(int device, long start, long bytes, long page) {
      return new Region(
          RegionKind.RESERVED,
          device,
          start,
          bytes,
          null,
          new Mappings(start, bytes, page),
          Set.of());
    }

    public long getEnd() {
      return start + bytes;
    }

    @Override
    public String toString() {
      return "%s of %s at 0x%x".formatted(kind.getWords(), ByteSize.format(bytes), start);
    }
  }

  /** The origin of a range of addresses. */
  public enum RegionKind {
    PLAIN("allocation"),
    /** A variable of a module, which ends with the module alone. */
    VARIABLE("variable of a module"),
    POOL("stream-ordered allocation"),
    /** Reserved addresses, which have memory only where it is mapped. */
    RESERVED("reservation"),
    PINNED("pinned host buffer"),
    MANAGED("managed buffer");

    private final String words;

    RegionKind(String words) {
      this.words = words;
    }

    /** Returns whether the host and all devices can access it. */
    public boolean isShared() {
      return this == PINNED || this == MANAGED;
    }

    public String getWords() {
      return words;
    }
  }
}
