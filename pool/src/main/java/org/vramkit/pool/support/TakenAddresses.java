package org.vramkit.pool.support;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.vramkit.api.error.Batch;

/**
 * The addresses of an allocator's driver allocations. They are kept apart from its other state, so
 * that the allocator can free them after a JVM error. Thread-safe; no driver call is made under a
 * lock.
 */
public final class TakenAddresses {
  /** Cells by address; a cell holds 0 once the driver has freed its memory. */
  private final Map<Long, long[]> taken = new ConcurrentHashMap<>();

  /** Cells of allocations in progress; they hold 0 until the driver returns. */
  private final Set<long[]> arriving = ConcurrentHashMap.newKeySet();

  /** Allocates from the driver, and keeps the address. */
  public long take(LongSupplier driver) {
    long[] cell = {0};
    arriving.add(cell);
    boolean kept = false;
    try {
      // Stored at once, so that a following JVM error does not lose it.
      cell[0] = driver.getAsLong();
      taken.put(cell[0], cell);
      kept = true;
      return cell[0];
    } finally {
      if (kept || cell[0] == 0) {
        arriving.remove(cell);
      }
    }
  }

  /**
   * Frees memory in the driver, and removes the address. If the driver fails, the address stays.
   */
  public void giveBack(long address, LongConsumer driver) {
    long[] cell = requireNonNull(taken.get(address), "taken from the driver");
    free(cell, driver);
    // The driver may have reused the address meanwhile.
    taken.remove(address, cell);
  }

  private static void free(long[] cell, LongConsumer driver) {
    if (cell[0] != 0) { // a cell may be in both collections after a JVM error
      driver.accept(cell[0]);
      cell[0] = 0;
    }
  }

  /** Frees the memory of all addresses. */
  public void giveBackAll(LongConsumer driver) {
    List<long[]> all = new ArrayList<>(arriving);
    all.addAll(taken.values());
    Batch.forEach(all, cell -> free(cell, driver));
  }
}
