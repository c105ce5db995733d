package org.vramkit.sim.check;

/** What was known to be done before one point of a stream. Immutable. */
public final class Snapshot implements Order {
  private final long[] known;
  private final int slot;
  private final long epoch;

  Snapshot(long[] known, int slot, long epoch) {
    this.known = known;
    this.slot = slot;
    this.epoch = epoch;
  }

  long[] known() {
    return known;
  }

  int slot() {
    return slot;
  }

  long epoch() {
    return epoch;
  }

  @Override
  public boolean covers(int otherSlot, long otherEpoch) {
    return otherSlot == slot
        ? otherEpoch <= epoch
        : otherSlot < known.length && known[otherSlot] >= otherEpoch;
  }
}
