package org.vramkit.sim.check;

import org.jspecify.annotations.Nullable;

/** Whose memory is whose: what the driver allocated, and the blocks that pools handed out of it. */
final class Owners {
  final Ownership driver = new Ownership();
  final Ownership pools = new Ownership();
  private long latest;

  /** A number for a new owner. */
  long nextId() {
    return ++latest;
  }

  /** Whoever an address belongs to: the user of a pool before the pool; null for nobody. */
  @Nullable OwnedBlock liveContaining(long address) {
    OwnedBlock block = pools.liveContaining(address);
    return block == null ? driver.liveContaining(address) : block;
  }

  /** Forgets who had what lies in a range, as it is handed out anew. */
  void forgetDead(long start, long end) {
    driver.forgetDead(start, end);
    pools.forgetDead(start, end);
  }

  /** Takes a range away from the pools; the names of those that the driver freed are kept. */
  void takeFromPools(long start, long end) {
    pools.drop(start, end);
    pools.forgetDead(start, end);
  }
}
