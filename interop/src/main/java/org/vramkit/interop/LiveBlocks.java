package org.vramkit.interop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;

/**
 * The live blocks by address, because native code frees by address. Adding and removing a block
 * takes no lock, creates no object and touches few cache lines. Safe for any thread.
 */
class LiveBlocks {
  private static final int FIRST_CAPACITY = 2048;

  private volatile Table newest = new Table(FIRST_CAPACITY, /* older= */ null);
  private volatile State state = State.OPEN;

  private enum State {
    OPEN,
    /** {@link #tryEnd} reads the live blocks; it holds the monitor until it has decided. */
    ENDING,
    ENDED
  }

  /**
   * A hash table with open addressing and a bounded probe length. Empty slots do not end a search,
   * so entries never move and removal needs no tombstones.
   */
  private static final class Table {
    private static final VarHandle ADDRESS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle BLOCK = MethodHandles.arrayElementVarHandle(Allocation[].class);
    private static final int PROBES = 16;
    private static final int GROWTH = 4;

    final @Nullable Table older;

    /** The addresses; 0 for empty slots. The thread that replaces a 0 owns the slot. */
    private final long[] addresses;

    /** The blocks; briefly null after their address was added, and before it is removed. */
    private final @Nullable Allocation[] blocks;

    Table(int capacity, @Nullable Table older) {
      this.addresses = new long[capacity];
      this.blocks = new @Nullable Allocation[capacity];
      this.older = older;
    }

    Table grow() {
      return new Table(GROWTH * addresses.length, this);
    }

    /** Returns false if all slots for this address are taken. */
    boolean add(long address, Allocation block) {
      int mask = addresses.length - 1;
      int home = hash(address) & mask;
      for (int i = home; i < home + PROBES; i++) {
        int at = i & mask;
        if (addresses[at] == 0 && ADDRESS.compareAndSet(addresses, at, 0L, address)) {
          BLOCK.setRelease(blocks, at, block);
          return true;
        }
      }
      return false;
    }

    @Nullable Allocation find(long address) {
      int at = indexOf(address);
      return at < 0 ? null : (Allocation) BLOCK.getAcquire(blocks, at);
    }

    /** Removes a block. If several threads remove it, only one gets it. */
    @Nullable Allocation remove(long address) {
      int at = indexOf(address);
      if (at < 0) {
        return null;
      }
      Allocation removed = (Allocation) BLOCK.getAndSet(blocks, at, null);
      if (removed != null) {
        ADDRESS.setRelease(addresses, at, 0L);
      }
      return removed;
    }

    private int indexOf(long address) {
      int mask = addresses.length - 1;
      int home = hash(address) & mask;
      for (int i = home; i < home + PROBES; i++) {
        if (addresses[i & mask] == address) {
          return i & mask;
        }
      }
      return -1;
    }

    void addTo(List<Allocation> found) {
      for (int at = 0; at < addresses.length; at++) {
        while ((long) ADDRESS.getVolatile(addresses, at) != 0) {
          Allocation block = (Allocation) BLOCK.getAcquire(blocks, at);
          if (block != null) {
            found.add(block);
            break;
          }
          // Another thread is between its two stores.
          Thread.onSpinWait();
        }
      }
    }

    /** Ignores the low 8 bits, because blocks are aligned to 256 bytes. */
    private static int hash(long address) {
      return (int) (((address >>> 8) * 0x9E3779B97F4A7C15L) >>> 33);
    }
  }

  /**
   * Adds a block. No other live block may have its address.
   *
   * @return true if added; false after the end
   */
  boolean add(long address, Allocation block) {
    Table table = newest;
    while (!table.add(address, block)) {
      table = growAfter(table);
    }
    if (state == State.OPEN || awaitIsOpen()) {
      return true;
    }
    remove(address);
    return false;
  }

  private synchronized Table growAfter(Table full) {
    if (newest == full) {
      newest = full.grow();
    }
    return newest;
  }

  /** Waits for a concurrent {@link #tryEnd}; returns whether blocks may still be added. */
  private synchronized boolean awaitIsOpen() {
    return state == State.OPEN;
  }

  /** Returns the live block at an address, or null. */
  @Nullable Allocation find(long address) {
    for (Table table = newest; table != null; table = table.older) {
      Allocation found = table.find(address);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /** Removes and returns the live block at an address, or returns null. */
  @Nullable Allocation remove(long address) {
    for (Table table = newest; table != null; table = table.older) {
      Allocation removed = table.remove(address);
      if (removed != null) {
        return removed;
      }
    }
    return null;
  }

  List<Allocation> getAll() {
    return state == State.ENDED ? List.of() : read();
  }

  private List<Allocation> read() {
    List<Allocation> found = new ArrayList<>();
    for (Table table = newest; table != null; table = table.older) {
      table.addTo(found);
    }
    return found;
  }

  /**
   * Ends the table if no block is live; no block can be added afterwards. A block that is added
   * concurrently is either found here or refused.
   *
   * @return the live blocks
   */
  synchronized List<Allocation> tryEnd() {
    state = State.ENDING;
    State next = State.OPEN;
    try {
      List<Allocation> found = read();
      if (found.isEmpty()) {
        next = State.ENDED;
      }
      return found;
    } finally {
      state = next;
    }
  }
}
