package org.vramkit.partition.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.vramkit.api.units.ByteSize;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.device.PooledDevice;

/** How many units each device of a pool holds at once, by its budget of memory. */
final class Capacity {
  final long[] caps;

  /** The same before devices with a score of 0 were left out. */
  final long[] room;

  /** Devices without memory for a unit, with the reason. */
  final List<String> skipped = new ArrayList<>();

  /**
   * Asks the devices what is free.
   *
   * @param bytesPerUnit 0 if memory does not matter
   * @throws BudgetTooSmallException if no device has memory for one unit
   */
  Capacity(DevicePool pool, long bytesPerUnit) {
    caps = new long[pool.getCount()];
    Arrays.fill(caps, Long.MAX_VALUE);
    if (bytesPerUnit > 0) {
      limit(pool, bytesPerUnit);
    }
    room = caps.clone();
    keepIdle(pool.getDevices());
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

  /** A device with a score of 0 holds nothing while another does, which takes more rounds then. */
  private void keepIdle(List<PooledDevice> devices) {
    boolean others = false;
    for (int i = 0; i < caps.length; i++) {
      others |= devices.get(i).score() > 0 && caps[i] > 0;
    }
    for (int i = 0; others && i < caps.length; i++) {
      caps[i] = devices.get(i).score() > 0 ? caps[i] : 0;
    }
  }

  /** Returns the room of all caps together, up to a number of units. */
  static long room(long units, long[] caps) {
    long room = 0;
    for (long cap : caps) {
      room += Math.min(cap, units - room);
    }
    return room;
  }
}
