package org.vramkit.ptx.run;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.check.Footprints;
import org.vramkit.ptx.check.Shadow;
import org.vramkit.ptx.memory.Memory;
import org.vramkit.ptx.memory.MemoryPiece;

/**
 * Device memory as windows of at most 16 KiB, found by address through a table of the last ones.
 */
public final class GlobalMemory {
  private static final int SHIFT = 14;
  private static final int RECENT = 1024;

  private final Memory memory;
  private final boolean shadowed;
  private final Window[] recent = new Window[RECENT];
  private final Map<Long, Window> byPage = new HashMap<>();

  /** Consecutive bytes in an array. */
  public static final class Window {
    public final byte[] bytes;
    public final long start;
    public final long end;

    /** Position of the first byte in the array. */
    public final int base;

    /** The accesses to the window; null if they are not checked. */
    public final @Nullable Shadow shadow;

    private @Nullable Window next;

    Window(MemoryPiece piece, long start, long end, boolean shadowed, @Nullable Window next) {
      this.bytes = piece.bytes();
      this.start = start;
      this.end = end;
      this.base = piece.offset() + (int) (start - piece.address());
      // Words begin at multiples of 4 of the address.
      this.shadow = shadowed ? new Shadow(start & -4, (int) (end - (start & -4))) : null;
      this.next = next;
    }

    public int at(long address) {
      return base + (int) (address - start);
    }

    public int inShadow(long address) {
      return (int) (address - (start & -4));
    }
  }

  GlobalMemory(Memory memory, boolean shadowed) {
    this.memory = memory;
    this.shadowed = shadowed;
  }

  /** Returns the window with all these bytes, or null if they are not memory. */
  public @Nullable Window find(long address, int bytes) {
    Window window = recent[slot(address >>> SHIFT)];
    if (window == null || address < window.start || address > window.end - bytes) {
      window = search(address);
    }
    return window != null && address <= window.end - bytes ? window : null;
  }

  /** Spreads arrays whose distance is a large power of two. */
  private static int slot(long page) {
    return (int) (page ^ page >>> 8 ^ page >>> 17) & (RECENT - 1);
  }

  private @Nullable Window search(long address) {
    long page = address >>> SHIFT;
    Window first = byPage.get(page);
    for (Window each = first; each != null; each = each.next) {
      if (address >= each.start && address < each.end) {
        recent[slot(page)] = each;
        return each;
      }
    }
    if (!Windows.contains(0, address)) {
      return null;
    }
    MemoryPiece piece = memory.find(address);
    if (piece == null) {
      return null;
    }
    long start = Math.max(piece.address(), page << SHIFT);
    long end = Math.min(piece.address() + piece.length(), (page + 1) << SHIFT);
    Window window = new Window(piece, start, end, shadowed, first);
    byPage.put(page, window);
    recent[slot(page)] = window;
    return window;
  }

  /** Forgets the windows of memory that no longer exists. */
  void forget(long address, long bytes) {
    for (long page = address >>> SHIFT; page <= (address + bytes - 1) >>> SHIFT; page++) {
      Window kept = null;
      for (Window each = byPage.get(page); each != null; ) {
        Window next = each.next;
        if (each.end <= address || each.start >= address + bytes) {
          each.next = kept;
          kept = each;
        }
        each = next;
      }
      if (kept == null) {
        byPage.remove(page);
      } else {
        byPage.put(page, kept);
      }
      recent[slot(page)] = null;
    }
  }

  /** Adds all accesses to a footprint, except for those to the heap, which only kernels see. */
  void addTo(Footprints footprints) {
    List<Window> windows = new ArrayList<>();
    for (Window first : byPage.values()) {
      for (Window each = first; each != null; each = each.next) {
        if (!Heap.contains(each.start)) {
          windows.add(each);
        }
      }
    }
    windows.sort((one, other) -> Long.compare(one.start, other.start));
    for (Window each : windows) {
      if (each.shadow != null) {
        footprints.add(each.shadow, (int) (each.end - (each.start & -4)));
      }
    }
  }
}
