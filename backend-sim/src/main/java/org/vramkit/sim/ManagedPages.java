package org.vramkit.sim;

import java.util.BitSet;
import java.util.List;
import org.vramkit.sim.memory.PhysicalBudget;
import org.vramkit.sim.memory.RangeAddresses;

/**
 * The pages of a managed buffer that are in the memory of a device. Work of a device moves the
 * pages that it touches there, as far as memory is free; a device that runs out of memory gives
 * them back. Guarded by the backend's lock.
 */
final class ManagedPages {
  private static final long PAGE = RangeAddresses.PAGE;

  private final List<PhysicalBudget> budgets;
  private final long start;
  private final long size;

  /** By device: the pages that it holds. */
  private final BitSet[] held;

  ManagedPages(List<PhysicalBudget> budgets, long start, long size) {
    this.budgets = budgets;
    this.start = start;
    this.size = size;
    this.held = new BitSet[budgets.size()];
    for (int device = 0; device < held.length; device++) {
      held[device] = new BitSet();
    }
  }

  /** Moves the pages of a range to a device. */
  void touch(int device, long address, long bytes) {
    int last = (int) ((Math.min(address + bytes, start + size) - 1 - start) / PAGE);
    for (int page = (int) ((address - start) / PAGE); page <= last; page++) {
      if (!held[device].get(page) && budgets.get(device).reserve(PAGE)) {
        for (int other = 0; other < held.length; other++) {
          if (held[other].get(page)) {
            held[other].clear(page);
            budgets.get(other).release(PAGE);
          }
        }
        held[device].set(page);
      }
    }
  }

  /** Gives back all pages of a device. */
  void evict(int device) {
    budgets.get(device).release(held[device].cardinality() * PAGE);
    held[device].clear();
  }

  void close() {
    for (int device = 0; device < held.length; device++) {
      evict(device);
    }
  }
}
