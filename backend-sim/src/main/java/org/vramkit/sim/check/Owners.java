package org.vramkit.sim.check;

import org.jspecify.annotations.Nullable;

/** Whose memory is whose: what the driver allocated, and the blocks that pools handed out of it. */
final class Owners {
  final Ownership driver = new Ownership(null);

  /** Page-locked and managed buffers. */
  final Ownership host = new Ownership(null);

  /** The blocks of pools over the driver's memory; those of pools over such blocks lie within. */
  final Ownership pools = new Ownership(null);

  private long latest;

  long nextId() {
    return ++latest;
  }

  /** The blocks of the pool that an address belongs to, of pools over pools the innermost. */
  Ownership poolAt(long address) {
    return pools.innermost(address, address + 1);
  }

  /**
   * The blocks of the pool that is meant by the first byte of one and its stream: of pools over
   * pools the innermost, unless the block there is of another stream.
   */
  Ownership poolOf(long start, StreamClock stream) {
    Ownership innermost = poolAt(start);
    for (Ownership pool = innermost; pool != null; pool = pool.outer) {
      OwnedBlock block = pool.liveAt(start);
      if (block != null && block.allocated.stream == stream) {
        return pool;
      }
    }
    return innermost;
  }

  /** Whoever an address belongs to: the user of a pool before the pool; null for nobody. */
  @Nullable OwnedBlock liveContaining(long address) {
    for (Ownership pool = poolAt(address); pool != null; pool = pool.outer) {
      OwnedBlock block = pool.liveContaining(address);
      if (block != null) {
        return block;
      }
    }
    return driver.liveContaining(address);
  }

  void forgetDead(long start, long end) {
    driver.dead.forget(start, end);
    pools.dead.forget(start, end);
  }

  /** The block of a pool that an address was of and that is nobody's; null for none. */
  @Nullable OwnedBlock closedAt(long address) {
    Ownership pool = poolAt(address);
    return pool.liveContaining(address) == null ? pool.dead.containing(address) : null;
  }
}
