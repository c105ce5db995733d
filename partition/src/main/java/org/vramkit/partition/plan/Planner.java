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
   * of them together cannot hold the units at once, the plan has several rounds.
   *
   * @param from first unit
   * @param units how many, not negative
   * @return a plan; without rounds if there is no unit or no device
   * @throws InvalidArgumentException if {@code from + units} overflows
   * @throws BudgetTooSmallException if no device has memory for one unit
   */
  public Plan plan(DevicePool pool, long from, long units) {
    if (units < 0 || from < 0 || from > Long.MAX_VALUE - units) {
      throw new InvalidArgumentException(
          "cannot plan " + units + " units from " + from + ": they must lie within 0 and 2^63 - 1");
    }
    if (units == 0 || pool.getCount() == 0) {
      return new Plan(from, units, List.of(), List.of());
    }
    List<PooledDevice> devices = pool.getDevices();
    double[] scores = devices.stream().mapToDouble(PooledDevice::score).toArray();
    List<String> skipped = new ArrayList<>();
    long[] caps = caps(pool, skipped);
    List<List<Tile>> rounds = new ArrayList<>();
    long next = from;
    long end = from + units;
    while (next < end) {
      if (rounds.size() == MAX_ROUNDS) {
        throw new InvalidArgumentException(
            units
                + " units of "
                + ByteSize.format(bytesPerUnit)
                + " would take more than a million rounds; divide the work before");
      }
      long[] counts = partitioner.divide(end - next, scores, caps);
      List<Tile> round = new ArrayList<>();
      for (int i = 0; i < counts.length; i++) {
        if (counts[i] > 0) {
          round.add(new Tile(devices.get(i).getOrdinal(), next, next + counts[i]));
          next += counts[i];
        }
      }
      if (round.isEmpty()) {
        // Only devices with a score of 0 have room: they share the rest evenly.
        Arrays.fill(scores, 0);
      } else {
        rounds.add(round);
      }
    }
    return new Plan(from, units, rounds, skipped);
  }

  private long[] caps(DevicePool pool, List<String> skipped) {
    long[] caps = new long[pool.getCount()];
    Arrays.fill(caps, Long.MAX_VALUE);
    if (bytesPerUnit == 0) {
      return caps;
    }
    long largest = 0;
    for (int i = 0; i < caps.length; i++) {
      int ordinal = pool.getDevices().get(i).getOrdinal();
      long budget = pool.getBudget(ordinal);
      largest = Math.max(largest, budget);
      caps[i] = budget / bytesPerUnit;
      if (caps[i] == 0) {
        skipped.add(
            "device "
                + ordinal
                + ": a unit needs "
                + ByteSize.format(bytesPerUnit)
                + ", its budget is "
                + ByteSize.format(budget));
      }
    }
    if (skipped.size() == caps.length) {
      throw new BudgetTooSmallException(bytesPerUnit, largest);
    }
    return caps;
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
