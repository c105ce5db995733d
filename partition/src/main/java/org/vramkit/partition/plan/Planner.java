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
 * Divides units over the devices of a pool, by their scores and what their memory holds. Immutable.
 *
 * @param partitioner how units are rounded
 * @param bytesPerUnit device memory that a unit needs; 0 if memory does not matter
 */
public record Planner(Partitioner partitioner, long bytesPerUnit) {
  /** More rounds than this are no plan. */
  private static final int MAX_ROUNDS = 1_000_000;

  /** By {@link Partitioner#FASTEST_FINISH}, without regard to memory. */
  public static final Planner DEFAULT = new Planner(Partitioner.FASTEST_FINISH, 0);

  /** Checks both. */
  public Planner {
    Objects.requireNonNull(partitioner, "partitioner");
    if (bytesPerUnit < 0) {
      throw new InvalidArgumentException("a unit cannot need " + bytesPerUnit + " bytes");
    }
  }

  /**
   * Divides the units from 0 on.
   *
   * @see #plan(DevicePool, long, long)
   */
  public Plan plan(DevicePool pool, long units) {
    return plan(pool, 0, units);
  }

  /**
   * Divides units over a pool. A device whose budget is smaller than a unit is skipped; where all
   * of them together cannot hold the units at once, the plan has several rounds. A device with a
   * score of 0 gets work only if none with a higher one has room for a unit.
   *
   * @param from first unit
   * @param units how many, not negative
   * @return a plan; without rounds if there is no unit or no device
   * @throws InvalidArgumentException if {@code from + units} overflows
   * @throws BudgetTooSmallException if no device has memory for one unit
   * @throws IllegalStateException if a partitioner of the caller's own breaks its contract
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
              + "; divide the work before");
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
   * How many units each device of a pool holds at once, by its budget of memory.
   *
   * @return in the order of the pool; {@link Long#MAX_VALUE} if memory does not matter
   * @throws BudgetTooSmallException if no device has memory for one unit
   */
  public List<Long> getCaps(DevicePool pool) {
    return pool.getCount() == 0
        ? List.of()
        : Arrays.stream(new Capacity(pool, bytesPerUnit).room).boxed().toList();
  }

  /** As many units as there is room for, in the order of devices. */
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

  /** Holds a partitioner to its word, as it may be the user's. */
  private void check(long[] counts, long[] caps, long units) {
    boolean kept = counts.length == caps.length;
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
              + Arrays.toString(counts));
    }
  }

  /**
   * Bytes of a tile.
   *
   * @throws InvalidArgumentException if that overflows; names both factors
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
