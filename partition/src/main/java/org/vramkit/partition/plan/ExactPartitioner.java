package org.vramkit.partition.plan;

import java.util.List;
import org.vramkit.api.error.InvalidArgumentException;

/** Assigns the whole units of the exact shares, then the remaining units one at a time. */
abstract class ExactPartitioner implements Partitioner {

  /**
   * Returns whether {@code device} gets the next unit instead of {@code earlier}; both have room.
   */
  abstract boolean precedes(Share device, Share earlier);

  @Override
  public final long[] divide(long units, double[] scores, long[] caps) {
    check(units, scores, caps);
    long placed = Capacity.room(units, caps);
    List<Share> shares = ExactShares.of(placed, scores, caps);
    long whole = shares.stream().mapToLong(share -> share.count).sum();
    for (long left = placed - whole; left > 0; left--) {
      shares.stream()
          .filter(Share::hasRoom)
          .reduce((earlier, share) -> precedes(share, earlier) ? share : earlier)
          .orElseThrow()
          .add();
    }
    return shares.stream().mapToLong(share -> share.count).toArray();
  }

  private static void check(long units, double[] scores, long[] caps) {
    if (units < 0) {
      throw new InvalidArgumentException(
          "cannot divide " + units + " units: the number must be 0" + " or more");
    }
    if (scores.length != caps.length) {
      throw new InvalidArgumentException(
          scores.length + " scores and " + caps.length + " caps: each device needs both");
    }
    for (long cap : caps) {
      if (cap < 0) {
        throw new InvalidArgumentException("a cap must not be negative: " + cap + " units");
      }
    }
  }
}
