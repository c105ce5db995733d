package org.vramkit.pool.support;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.vramkit.api.error.Batch;

/**
 * The addresses of an allocator's driver allocations. They are kept apart from its other state, so
 * that the allocator can free them after a JVM error. Thread-safe; no other lock is acquired and no
 * driver call is made under the monitor.
 */
public final class TakenAddresses {
  /** Cells by address; a cell holds 0 once the driver has freed its memory. */
  private final Map<Long, long[]> taken = new HashMap<>();

  /** Cells of allocations in progress; they hold 0 until the driver returns. */
  private final List<long[]> arriving = new ArrayList<>();

  /** Creates an empty set. */
  public TakenAddresses() {}

  /** Allocates from the driver, and keeps the address. */
  public long take(LongSupplier driver) {
    long[] cell = {0};
    change(() -> arriving.add(cell));
    boolean kept = false;
    try {
      // Stored at once, so that a following JVM error does not lose it.
      cell[0] = driver.getAsLong();
      change(() -> taken.put(cell[0], cell));
      kept = true;
      return cell[0];
    } finally {
      if (kept || cell[0] == 0) {
        change(() -> arriving.remove(cell));
      }
    }
  }

  /**
   * Frees memory in the driver, and removes the address. If the driver fails, the address stays.
   */
  public void giveBack(long address, LongConsumer driver) {
    long[] cell = cellOf(address);
    driver.accept(address);
    cell[0] = 0;
    // The driver may have reused the address meanwhile.
    change(() -> taken.remove(address, cell));
  }

  private synchronized long[] cellOf(long address) {
    return requireNonNull(taken.get(address), "taken from the driver");
  }

  /** Frees the memory of all addresses. */
  public void giveBackAll(LongConsumer driver) {
    List<long[]> all = new ArrayList<>();
    change(
        () -> {
          arriving.stream().filter(each -> each[0] != 0).forEach(each -> taken.put(each[0], each));
          arriving.clear();
          taken.values().removeIf(each -> each[0] == 0);
          all.addAll(taken.values());
        });
    Batch.forEach(all, each -> giveBack(each[0], driver));
  }

  private synchronized void change(Runnable change) {
    change.run();
  }
}
