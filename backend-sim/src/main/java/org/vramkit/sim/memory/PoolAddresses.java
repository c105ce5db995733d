package org.vramkit.sim.memory;

/**
 * The addresses of a driver pool's blocks. Reused addresses follow the blocks' places in the pool,
 * fresh ones each other. Not thread-safe.
 */
public final class PoolAddresses {
  private static final long WINDOW = 1 << 25;
  private static final long PAGE = RangeAddresses.PAGE;

  private final AddressArena arena;
  private final FreshAddresses fresh;
  private final long size;

  /** The first address, if addresses are reused; -1 before the first block. */
  private long base = -1;

  /** Creates addresses for a pool of places below {@code size}. */
  public PoolAddresses(AddressSpace space, long size) {
    this.arena = space.deviceArena;
    this.fresh = new FreshAddresses(arena, WINDOW);
    this.size = (size + WINDOW - 1) & -WINDOW;
  }

  /** Returns the address of a block at a place; -1 if no addresses are left. */
  public long allocate(long place, long bytes) {
    if (arena.isFresh()) {
      return bytes > WINDOW ? arena.allocate(pages(bytes), PAGE) : fresh.allocate(bytes);
    }
    if (base < 0) {
      base = arena.allocateHighest(size, WINDOW);
    }
    return base < 0 || place + bytes > size ? -1 : base + place;
  }

  private static long pages(long bytes) {
    return (bytes + PAGE - 1) & -PAGE;
  }

  /** Frees the address of a block. */
  public void free(long address, long bytes) {
    if (arena.isFresh()) {
      if (bytes > WINDOW) {
        arena.free(address, pages(bytes));
      } else {
        fresh.free(address);
      }
    }
  }

  /** Frees all addresses of a pool without blocks. */
  public void close() {
    if (base >= 0) {
      arena.free(base, size);
      base = -1;
    }
  }
}
