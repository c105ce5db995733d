package org.vramkit.sim.check;

import org.jspecify.annotations.Nullable;

/**
 * Memory that the host takes away under pending work, and whose fault that is. A pool unmaps or
 * frees pages of blocks that were closed, after what it knows of them: their own streams and the
 * recorded uses. What it did not know of, the block's user has not told.
 */
record TakenEarly(Operation pending, @Nullable OwnedBlock owner) {
  static TakenEarly of(Conflict conflict, Owners owners) {
    return new TakenEarly(conflict.operation(), owner(conflict, owners));
  }

  /** The user of a pool, who may have closed it by now, before the pool; null for nobody. */
  private static @Nullable OwnedBlock owner(Conflict conflict, Owners owners) {
    Ownership pool = owners.poolAt(conflict.start());
    OwnedBlock live = pool.overlapping(conflict.start(), conflict.end());
    if (live != null) {
      return live;
    }
    OwnedBlock closed = pool.dead.overlapping(conflict.start(), conflict.end());
    return closed == null ? owners.liveContaining(conflict.start()) : closed;
  }

  /** Returns the close of the block, if its pool was not told of the stream of the pending work. */
  private @Nullable Operation unrecordedClose() {
    return owner == null || owner.users.contains(pending.stream) ? null : owner.death;
  }

  /** What is missing before memory is taken away by an operation. */
  String missing(Operation by) {
    String order = Finding.missingOrder(pending, by.stream);
    Operation close = unrecordedClose();
    return close == null
        ? order
        : "%s: it used the block, which operation %s closed on %s, and nobody had recorded that use"
            .formatted(order, close.index(), close.stream.name);
  }

  String remedy() {
    return unrecordedClose() == null
        ? "wait for the stream, or ask it until it is idle, before taking memory away"
        : ("call recordUse for %s on the block before closing it, or close it after that work is"
                + " done")
            .formatted(pending.stream.name);
  }
}
