package org.vramkit.sim.check;

import java.util.List;

/**
 * The clock of a stream at one point. Immutable.
 *
 * @param slot slot of the stream, which another stream may reuse
 * @param serial number of the stream among all streams
 * @param epoch epoch of the stream's last operation that accessed memory
 * @param used whether the stream has had an operation that accessed memory
 * @param known epochs of other streams that the point comes after
 * @param pooled epochs that pools made the stream wait for; they count for pools alone
 * @param gates gates that the point comes after, closed or not
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
  /** Returns whether all that the stream knew and did comes before a point. */
  public boolean isBefore(Order point) {
    // The first epoch is that of a stream without operations, which needs no order.
    return (!used || point.covers(slot, epoch))
        && known.all(
            (other, until) -> until <= Epochs.FIRST || other == slot || point.covers(other, until));
  }

  @Override
  public boolean covers(int otherSlot, long otherEpoch) {
    boolean covered = otherSlot == slot ? otherEpoch <= epoch : known.covers(otherSlot, otherEpoch);
    return covered || isGated(gates, otherSlot, otherEpoch);
  }

  /** Returns whether the opening of a gate covers an operation. */
  static boolean isGated(List<GateOrder> gates, int slot, long epoch) {
    for (GateOrder gate : gates) {
      if (gate.covers(slot, epoch)) {
        return true;
      }
    }
    return false;
  }
}
