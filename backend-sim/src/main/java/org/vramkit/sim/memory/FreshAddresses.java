package org.vramkit.sim.memory;

import java.util.HashMap;
import java.util.Map;

/**
 * Addresses for small blocks, each behind the one before, in windows that begin at a page. A window
 * ends when it is full or when all its blocks are freed. Not thread-safe.
 */
final class FreshAddresses {
  private final AddressArena arena;
  private final long window;

  /** The number of live blocks in each window, by its address; the current window has one more. */
  private final Map<Long, Integer> live = new HashMap<>();

  private long current = -1;
  private long next;

  /** Creates blocks without addresses; the size of windows is a power of two. */
  FreshAddresses(AddressArena arena, long window) {
    this.arena = arena;
    this.window = window;
  }

  /** Returns an address for a block of at most a window; -1 if no addresses are left. */
  long allocate(long bytes) {
    if (current < 0 || next + bytes > current + window || live.getOrDefault(current, 0) == 1) {
      leave();
      long made = arena.allocate(window, window);
      if (made < 0) {
        return -1;
      }
      current = made;
      next = made;
      live.put(made, 1);
    }
    long address = next;
    next += bytes;
    live.merge(current, 1, Integer::sum);
    return address;
  }

  private void leave() {
    if (current >= 0) {
      drop(current);
      current = -1;
    }
  }

  void free(long address) {
    drop(address & -window);
  }

  private void drop(long start) {
    if (live.merge(start, -1, Integer::sum) == 0) {
      live.remove(start);
      arena.free(start, window);
    }
  }
}
