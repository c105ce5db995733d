package org.vramkit.interop;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;

/**
 * What is live, by address: native code gives back an address and nothing else. Numbers are kept as
 * numbers, in stripes that have a lock each, so that a pair makes no object here. An end holds all
 * of them, one after the other: so whatever is added comes before it, and is seen, or is refused.
 * Safe for any thread.
 */
class LiveBlocks {
  private static final int STRIPE_BITS = 4;
  private static final int FIRST_CAPACITY = 64;

  private final Stripe[] stripes = new Stripe[1 << STRIPE_BITS];

  LiveBlocks() {
    for (int i = 0; i < stripes.length; i++) {
      stripes[i] = new Stripe();
    }
  }

  /** Open addressing without tombstones; address 0 is a free place. */
  private static final class Stripe {
    private long[] addresses = new long[FIRST_CAPACITY];
    private @Nullable Allocation[] blocks = new @Nullable Allocation[FIRST_CAPACITY];
    private int count;
    private boolean ended;

    synchronized boolean add(long address, int hash, Allocation block) {
      if (ended) {
        return false;
      }
      if (2 * count >= addresses.length) {
        grow();
      }
      put(address, hash, block);
      count++;
      return true;
    }

    private void put(long address, int hash, Allocation block) {
      int mask = addresses.length - 1;
      int at = hash & mask;
      while (addresses[at] != 0) {
        at = (at + 1) & mask;
      }
      addresses[at] = address;
      blocks[at] = block;
    }

    /** Changes nothing where the JVM has no memory for it. */
    private void grow() {
      long[] before = addresses;
      @Nullable Allocation[] held = blocks;
      long[] moreAddresses = new long[2 * before.length];
      @Nullable Allocation[] moreBlocks = new @Nullable Allocation[2 * before.length];
      addresses = moreAddresses;
      blocks = moreBlocks;
      for (int i = 0; i < before.length; i++) {
        Allocation block = held[i];
        if (block != null) {
          put(before[i], hash(before[i]), block);
        }
      }
    }

    synchronized @Nullable Allocation find(long address, int hash) {
      int at = indexOf(address, hash);
      return at < 0 ? null : blocks[at];
    }

    synchronized @Nullable Allocation remove(long address, int hash) {
      int at = indexOf(address, hash);
      if (at < 0) {
        return null;
      }
      Allocation found = blocks[at];
      close(at, addresses.length - 1);
      count--;
      return found;
    }

    private int indexOf(long address, int hash) {
      int mask = addresses.length - 1;
      int at = hash & mask;
      while (addresses[at] != address) {
        if (addresses[at] == 0) {
          return -1;
        }
        at = (at + 1) & mask;
      }
      return at;
    }

    /** Moves what could no longer be found across the free place into it. */
    private void close(int free, int mask) {
      int hole = free;
      for (int at = (hole + 1) & mask; addresses[at] != 0; at = (at + 1) & mask) {
        int home = hash(addresses[at]) & mask;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
          addresses[hole] = addresses[at];
          blocks[hole] = blocks[at];
          hole = at;
        }
      }
      addresses[hole] = 0;
      blocks[hole] = null;
    }

    synchronized void addTo(List<Allocation> found) {
      for (Allocation each : blocks) {
        if (each != null) {
          found.add(each);
        }
      }
    }
  }

  /** Blocks are aligned to 256 bytes at least. */
  private static int hash(long address) {
    long mixed = (address >>> 8) * 0x9E3779B97F4A7C15L;
    return (int) (mixed >>> 32);
  }

  private Stripe stripe(int hash) {
    return stripes[hash >>> (Integer.SIZE - STRIPE_BITS)];
  }

  /**
   * Notes a block whose address no other live one has; false, and it is not noted, after the end.
   */
  boolean add(long address, Allocation block) {
    int hash = hash(address);
    return stripe(hash).add(address, hash, block);
  }

  /** The block at an address; null if none is live there. */
  @Nullable Allocation find(long address) {
    int hash = hash(address);
    return stripe(hash).find(address, hash);
  }

  /** The block at an address, which it has no longer; null if none is live there. */
  @Nullable Allocation remove(long address) {
    int hash = hash(address);
    return stripe(hash).remove(address, hash);
  }

  List<Allocation> getAll() {
    List<Allocation> found = new ArrayList<>();
    for (Stripe each : stripes) {
      each.addTo(found);
    }
    return found;
  }

  /** What is live at one moment; where that is nothing, no block is noted from then on. */
  List<Allocation> tryEnd() {
    return tryEnd(0);
  }

  /** Under the locks of all stripes before this one. */
  private List<Allocation> tryEnd(int next) {
    if (next < stripes.length) {
      synchronized (stripes[next]) {
        return tryEnd(next + 1);
      }
    }
    List<Allocation> found = getAll();
    if (found.isEmpty()) {
      for (Stripe each : stripes) {
        each.ended = true;
      }
    }
    return found;
  }
}
