package org.vramkit.sim.memory;

import java.util.HashMap;
import java.util.Map;

/**
 * The addresses of ranges of whole pages. Reused addresses are those that the driver would choose:
 * ranges of less than 32 MiB share aligned areas of that size, larger ones have areas of their own,
 * and areas come from one end of all addresses. Not thread-safe.
 */
public final class RangeAddresses {
  /** Ranges are multiples of this, and aligned to it. */
  public static final long PAGE = 1 << 21;

  private static final long AREA = 1 << 25;

  private final AddressArena arena;
  private final boolean downwards;
  private final Packing shared = new Packing(AREA);

  /** Addresses of shared areas by their first places, and back. */
  private final Map<Long, Long> addresses = new HashMap<>();

  private final Map<Long, Long> places = new HashMap<>();

  /** Creates ranges without addresses; {@code downwards} from the highest address on. */
  public RangeAddresses(AddressArena arena, boolean downwards) {
    this.arena = arena;
    this.downwards = downwards;
  }

  /** Returns the address of a range; -1 if no addresses are left. */
  public long allocate(long bytes) {
    if (arena.isFresh()) {
      return arena.allocate(bytes, PAGE);
    }
    if (bytes >= AREA) {
      return area(roundUp(bytes));
    }
    long place = shared.place(bytes);
    if (place < 0) {
      long area = area(AREA);
      if (area < 0) {
        return -1;
      }
      shared.addUnit();
      place = shared.place(bytes);
      addresses.put(place, area);
      places.put(area, place);
    }
    long first = shared.unitOf(place);
    return addresses.getOrDefault(first, 0L) + place - first;
  }

  private long area(long bytes) {
    return downwards ? arena.allocateHighest(bytes, AREA) : arena.allocateLowest(bytes, AREA);
  }

  private static long roundUp(long bytes) {
    return (bytes + AREA - 1) & -AREA;
  }

  /** Frees a range that {@link #allocate} returned. */
  public void free(long address, long bytes) {
    if (arena.isFresh()) {
      arena.free(address, bytes);
    } else if (bytes >= AREA) {
      arena.free(address, roundUp(bytes));
    } else {
      long area = address & -AREA;
      long first = places.getOrDefault(area, 0L);
      if (shared.free(first + address - area, bytes)) {
        places.remove(area);
        addresses.remove(first);
        arena.free(area, AREA);
      }
    }
  }
}
