package org.vramkit.partition.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.vramkit.api.units.ByteSize;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.device.PooledDevice;

/** The number of units that each device of a pool holds at once, by its memory budget. */
final class Capacity {
  /** Maximum units by device, in the order of the pool; 0 for excluded devices. */
  final long[] caps;

  /** The caps before devices with a score of 0 were excluded. */
  final long[] room;

  /** Devices without memory for one unit, with the reason. */
  final List<String> skipped = new ArrayList<>();

  /**
   * Reads the budgets of the devices.
   *
   * @param bytesPerUnit device memory per unit; 0 for no limit
   * @throws BudgetTooSmallException if no device has memory for one unit
   */
  Capacity(DevicePool pool, long bytesPerUnit) {
    caps = new long[pool.getCount()];
    Arrays.fill(caps, Long.MAX_VALUE);
    if (bytesPerUnit > 0) {
      limit(pool, bytesPerUnit);
    }
    room = caps.clone();
    excludeZeroScores(pool.getDevices());
  }

  private void limit(DevicePool pool, long bytesPerUnit) {
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
                + ByteSize.formatUp(bytesPerUnit)
                + ", its budget is "
                + ByteSize.formatDown(budget));
      }
    }
    if (skipped.size() == caps.length) {
      throw new BudgetTooSmallException(bytesPerUnit, largest);
    }
  }

  /** Excludes devices with a score of 0 if another device has capacity, even at more rounds. */
  private void excludeZeroScores(List<PooledDevice> devices) {
    boolean others = false;
    for (int i = 0; i < caps.length; i++) {
      others |= devices.get(i).score() > 0 && caps[i] > 0;
    }
    for (int i = 0; others && i < caps.length; i++) {
      caps[i] = devices.get(i).score() > 0 ? caps[i] : 0;
    }
  }

  /** Returns the sum of the caps, at most {@code units}. */
  static long room(long units, long[] caps) {
    long room = 0;
    for (long cap : caps) {
      room += Math.min(cap, units - room);
    }
    return room;
  }
}
