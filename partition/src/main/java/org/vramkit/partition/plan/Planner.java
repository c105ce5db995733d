package org.vramkit.partition.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.device.PooledDevice;

/**
 * Divides units over the devices of a pool, by their scores and memory budgets. Immutable.
 *
 * @param partitioner the rule that divides units by scores
 * @param bytesPerUnit device memory that a unit needs; 0 for no limit
 */
public record Planner(Partitioner partitioner, long bytesPerUnit) {
  /** Maximum number of rounds of a plan. */
  private static final int MAX_ROUNDS = 1_000_000;

  /** Divides by {@link Partitioner#FASTEST_FINISH}, without a memory limit. */
  public static final Planner DEFAULT = new Planner(Partitioner.FASTEST_FINISH, 0);

  /** Checks the arguments. */
  public Planner {
    Objects.requireNonNull(partitioner, "partitioner");
    if (bytesPerUnit < 0) {
      throw new InvalidArgumentException(
          "the bytes of a unit must not be negative: " + bytesPerUnit + "; 0 sets no limit");
    }
  }

  /**
   * Divides {@code units} units, starting from unit 0.
   *
   * @see #plan(DevicePool, long, long)
   */
  public Plan plan(DevicePool pool, long units) {
    return plan(pool, 0, units);
  }

  /**
   * Divides units over a pool. A device whose budget is less than one unit is skipped. If the
   * devices together cannot hold all units at once, the plan has several rounds. A device with
   * score 0 gets units only if no other has room for one.
   *
   * @param from first unit
   * @param units the number of units, not negative
   * @return the plan; it has no rounds if there are no units or no devices
   * @throws InvalidArgumentException if {@code from + units} overflows
   * @throws BudgetTooSmallException if no device has memory for one unit
   * @throws IllegalStateException if a custom partitioner violates its contract
   */
  public Plan plan(DevicePool pool, long from, long units) {
    if (units < 0 || from < 0 || from > Long.MAX_VALUE - units) {
      throw new InvalidArgumentException(
          "cannot plan " + units + " units from " + from + ": they must lie within 0 and 2^63 - 1");
    }
    if (units == 0 || pool.getCount() == 0) {
      return new Plan(from, units, List.of(), List.of());
    }
    Capacity capacity = new Capacity(pool, bytesPerUnit);
    long room = Capacity.room(units, capacity.caps);
    if ((units - 1) / room >= MAX_ROUNDS) {
      throw new InvalidArgumentException(
          units
              + " units of "
              + ByteSize.format(bytesPerUnit)
              + " would take more than "
              + MAX_ROUNDS
              + " rounds of "
              + room
              + "; divide the work into smaller runs");
    }
    List<List<Tile>> rounds = new ArrayList<>();
    for (long next = from, end = from + units; next < end; ) {
      List<Tile> round = round(pool.getDevices(), capacity.caps, next, end);
      next = round.get(round.size() - 1).to();
      rounds.add(round);
    }
    return new Plan(from, units, rounds, capacity.skipped);
  }

  /**
   * Returns how many units each device of a pool holds at once, by its memory budget.
   *
   * @return the capacities in the order of the pool; {@link Long#MAX_VALUE} without a memory limit
   * @throws BudgetTooSmallException if no device has memory for one unit
   */
  public List<Long> getCaps(DevicePool pool) {
    return pool.getCount() == 0
        ? List.of()
        : Arrays.stream(new Capacity(pool, bytesPerUnit).room).boxed().toList();
  }

  /** Plans one round, which takes as many units as fit, in the order of devices. */
  private List<Tile> round(List<PooledDevice> devices, long[] caps, long from, long end) {
    double[] scores = devices.stream().mapToDouble(PooledDevice::score).toArray();
    long[] counts = partitioner.divide(end - from, scores, caps.clone());
    check(counts, caps, end - from);
    List<Tile> round = new ArrayList<>();
    long next = from;
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        round.add(new Tile(devices.get(i).getOrdinal(), next, next + counts[i]));
        next += counts[i];
      }
    }
    return round;
  }

  /** Throws if the partitioner, which a user may supply, has violated its contract. */
  private void check(long[] counts, long[] caps, long units) {
    boolean kept = counts != null && counts.length == caps.length;
    long left = Capacity.room(units, caps);
    for (int i = 0; kept && i < caps.length; i++) {
      kept = counts[i] >= 0 && counts[i] <= Math.min(caps[i], left);
      left -= counts[i];
    }
    if (!kept || left > 0) {
      throw new IllegalStateException(
          "partitioner "
              + partitioner
              + " must divide "
              + Capacity.room(units, caps)
              + " units over devices with room for "
              + Arrays.toString(caps)
              + ", not into "
              + Arrays.toString(counts)
              + "; counts must not be negative or above the room, and must add up");
    }
  }

  /**
   * Returns the device memory of a tile in bytes.
   *
   * @throws InvalidArgumentException if the size overflows; the message names both factors
   */
  public long getBytes(Tile tile) {
    try {
      return Math.multiplyExact(tile.getUnits(), bytesPerUnit);
    } catch (ArithmeticException e) {
      throw new InvalidArgumentException(
          tile.getUnits() + " units of " + bytesPerUnit + " bytes overflow");
    }
  }
}
