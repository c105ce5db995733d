package org.vramkit.sim.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.memory.AddressSpace.Region;
import org.vramkit.sim.memory.Mappings.Mapping;

/**
 * A range of addresses in one reservation or across several adjacent ones, and the memory that is
 * mapped there.
 */
public final class VirtualRange {
  private final AddressSpace space;
  private final long start;
  private final long end;

  /** Creates a range of at least one byte. */
  public VirtualRange(AddressSpace space, long start, long bytes) {
    this.space = space;
    this.start = start;
    this.end = start + bytes;
  }

  /** Returns whether all of its addresses are reserved. */
  public boolean isReserved() {
    long at = start;
    while (at < end) {
      Region region = space.live(at);
      if (region == null || region.pages() == null) {
        return false;
      }
      at = region.getEnd();
    }
    return true;
  }

  /** Returns the mapping at an address; null if there is none. */
  public static @Nullable Mapping mappingAt(AddressSpace space, long address) {
    Region region = space.containing(address);
    Mappings pages = region == null ? null : region.pages();
    return pages == null ? null : pages.get(address);
  }

  /** Returns the mappings that overlap the range, which is reserved, in the order of addresses. */
  public List<Mapping> getMappings() {
    List<Mapping> found = new ArrayList<>();
    long at = start;
    while (at < end) {
      Region region = space.containing(at);
      Mappings pages = region == null ? null : region.pages();
      if (region == null || pages == null) {
        throw new IllegalStateException("not reserved: " + at);
      }
      Mapping mapping = pages.firstIn(at, Math.min(end, region.getEnd()));
      if (mapping == null) {
        at = region.getEnd();
      } else {
        found.add(mapping);
        at = mapping.getEnd();
      }
    }
    return found;
  }

  /**
   * Returns whether the range begins and ends with its mappings; the driver minds no holes between
   * them.
   */
  public boolean isBoundedBy(List<Mapping> mappings) {
    return !mappings.isEmpty()
        && mappings.get(0).start() == start
        && mappings.get(mappings.size() - 1).getEnd() == end;
  }

  /** Returns whether the range contains mappings as a whole. */
  public boolean contains(List<Mapping> mappings) {
    return mappings.isEmpty()
        || (mappings.get(0).start() >= start && mappings.get(mappings.size() - 1).getEnd() <= end);
  }

  /** Returns the first address from which a device has no access; the end if it has all. */
  public long firstInaccessible(int device) {
    long at = start;
    while (at < end) {
      Mapping mapping = mappingAt(space, at);
      if (mapping == null || !mapping.isAccessible(device)) {
        return at;
      }
      at = mapping.getEnd();
    }
    return end;
  }

  /** Adds a mapping to the reservations of its addresses. */
  public static void add(AddressSpace space, Mapping mapping) {
    new VirtualRange(space, mapping.start(), mapping.physical().bytes)
        .eachReservation(pages -> pages.add(mapping));
  }

  public static void remove(AddressSpace space, Mapping mapping) {
    new VirtualRange(space, mapping.start(), mapping.physical().bytes)
        .eachReservation(pages -> pages.remove(mapping));
  }

  private void eachReservation(Consumer<Mappings> action) {
    long at = start;
    while (at < end) {
      Region region = space.containing(at);
      Mappings pages = region == null ? null : region.pages();
      if (region == null || pages == null) {
        throw new IllegalStateException("not reserved: " + at);
      }
      action.accept(pages);
      at = region.getEnd();
    }
  }
}
