package org.vramkit.sim.check.order;

/** What was known to be done before one point of a stream. Immutable. */
public final class Snapshot implements Order {
  private final Epochs known;
  private final Epochs pooled;
  private final int slot;
  private final long epoch;
  private final boolean used;
  private final GateOrder[] gates;
  private final long serial;

  /**
   * Where a stream is.
   *
   * @param serial its number among all streams
   * @param used whether it had an operation that touched memory
   */
  public Snapshot(
      int slot,
      long serial,
      long epoch,
      boolean used,
      Epochs known,
      Epochs pooled,
      GateOrder[] gates) {
    this.known = known;
    this.pooled = pooled;
    this.slot = slot;
    this.epoch = epoch;
    this.used = used;
    this.gates = gates;
    this.serial = serial;
  }

  /** Whether all that was known, and what the stream itself had done, comes before a point. */
  public boolean isBefore(Order point) {
    // A stream that has done nothing has its first epoch, which nobody has to know.
    return (!used || point.covers(slot, epoch))
        && known.all(
            (other, until) -> until <= Epochs.FIRST || other == slot || point.covers(other, until));
  }

  /** What pools had made the stream come after, for themselves alone. */
  public Epochs pooled() {
    return pooled;
  }

  public Epochs known() {
    return known;
  }

  /** The number of the stream among all streams; the slot may be used again by another one. */
  public long serial() {
    return serial;
  }

  /** The gates that it comes after, closed or not. */
  public GateOrder[] gates() {
    return gates;
  }

  public int slot() {
    return slot;
  }

  public long epoch() {
    return epoch;
  }

  @Override
  public boolean covers(int otherSlot, long otherEpoch) {
    boolean covered = otherSlot == slot ? otherEpoch <= epoch : known.covers(otherSlot, otherEpoch);
    return covered || isGated(gates, otherSlot, otherEpoch);
  }

  /** Whether work comes before the opening of one of some gates. */
  public static boolean isGated(GateOrder[] gates, int slot, long epoch) {
    for (GateOrder gate : gates) {
      if (gate.covers(slot, epoch)) {
        return true;
      }
    }
    return false;
  }
}
