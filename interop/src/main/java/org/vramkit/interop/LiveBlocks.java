package org.vramkit.interop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;

/**
 * The live blocks by address: native code gives back an address and nothing else. A pair takes no
 * lock, makes no object and touches few cache lines, for a program comes here from cold caches.
 * Safe for any thread.
 */
class LiveBlocks {
  private static final int FIRST_CAPACITY = 2048;

  private volatile Table newest = new Table(FIRST_CAPACITY, /* older= */ null);
  private volatile State state = State.OPEN;

  private enum State {
    OPEN,
    /** An end looks for live blocks, and holds this object's lock until it has decided. */
    ENDING,
    ENDED
  }

  /**
   * Open addressing, where a block lies within few places of that of its hash. So an empty place
   * ends no search, blocks never move, and removing one leaves nothing behind.
   */
  private static final class Table {
    private static final VarHandle ADDRESS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle BLOCK = MethodHandles.arrayElementVarHandle(Allocation[].class);
    private static final int PROBES = 16;
    private static final int GROWTH = 4;

    final @Nullable Table older;

    /** 0 where a place is empty. The thread that replaces it has the place to itself. */
    private final long[] addresses;

    /** Null also for a moment after its address came, and before that goes. */
    private final @Nullable Allocation[] blocks;

    Table(int capacity, @Nullable Table older) {
      this.addresses = new long[capacity];
      this.blocks = new @Nullable Allocation[capacity];
      this.older = older;
    }

    Table grow() {
      return new Table(GROWTH * addresses.length, this);
    }

    /** Returns false if all places for this address are taken. */
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

    /** Of several threads that remove a block, one gets it. */
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
          // Between two stores of another thread.
          Thread.onSpinWait();
        }
      }
    }

    /** Blocks are aligned to 256 bytes at least. */
    private static int hash(long address) {
      return (int) (((address >>> 8) * 0x9E3779B97F4A7C15L) >>> 33);
    }
  }

  /**
   * Notes a block whose address no other live one has.
   *
   * @return whether it is noted, which it is not after the end
   */
  boolean add(long address, Allocation block) {
    Table table = newest;
    while (!table.add(address, block)) {
      table = growAfter(table);
    }
    if (state == State.OPEN || isOpenAfterAll()) {
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

  /** Waits for an end that looks at the blocks, as it may have seen the caller's or not. */
  private synchronized boolean isOpenAfterAll() {
    return state == State.OPEN;
  }

  /** The block at an address; null if none is live there. */
  @Nullable Allocation find(long address) {
    for (Table table = newest; table != null; table = table.older) {
      Allocation found = table.find(address);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /** The block at an address, which it has no longer; null if none is live there. */
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
   * Ends this if nothing is live, and no block is noted from then on. A block that is added
   * meanwhile either comes before, and is seen, or is refused.
   *
   * @return what is live
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
