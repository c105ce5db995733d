package org.vramkit.sim.check;

import java.util.List;

/**
 * What was known to be done before one point of a stream. Immutable.
 *
 * @param slot of the stream, which may be used again by another one
 * @param serial of the stream among all
 * @param epoch of its last operation that touched memory
 * @param used whether it had one
 * @param pooled what pools had made the stream come after, for themselves alone
 * @param gates that it comes after, closed or not
 */
public record Snapshot(
    int slot,
    long serial,
    long epoch,
    boolean used,
    Epochs known,
    Epochs pooled,
    List<GateOrder> gates)
    implements Order {
  /**
   * Returns whether all that was known, and what the stream itself had done, comes before a point.
   */
  public boolean isBefore(Order point) {
    // A stream that has done nothing has its first epoch, which nobody has to know.
    return (!used || point.covers(slot, epoch))
        && known.all(
            (other, until) -> until <= Epochs.FIRST || other == slot || point.covers(other, until));
  }

  @Override
  public boolean covers(int otherSlot, long otherEpoch) {
    boolean covered = otherSlot == slot ? otherEpoch <= epoch : known.covers(otherSlot, otherEpoch);
    return covered || isGated(gates, otherSlot, otherEpoch);
  }

  /** Returns whether work comes before the opening of one of some gates. */
  static boolean isGated(List<GateOrder> gates, int slot, long epoch) {
    for (GateOrder gate : gates) {
      if (gate.covers(slot, epoch)) {
        return true;
      }
    }
    return false;
  }
}
