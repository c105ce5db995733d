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
 * The addresses that an allocator has taken from the driver and not given back, whatever else the
 * allocator knows of them: for its end after an error of the JVM. Safe for any thread; the monitor
 * is a leaf, and no driver is called under it.
 */
public final class TakenAddresses {
  /** By address; a cell holds 0 from the moment at which the driver has its memory back. */
  private final Map<Long, long[]> taken = new HashMap<>();

  /** Cells on their way there; they hold 0 until the driver has answered. */
  private final List<long[]> arriving = new ArrayList<>();

  /** Creates a set of none. */
  public TakenAddresses() {}

  /** Takes memory from the driver. */
  public long take(LongSupplier driver) {
    long[] cell = {0};
    change(() -> arriving.add(cell));
    boolean kept = false;
    try {
      // Kept at once: an error of the JVM that comes next does not lose it.
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

  /** Gives memory back to the driver; where that fails it is still taken. */
  public void giveBack(long address, LongConsumer driver) {
    long[] cell = cellOf(address);
    driver.accept(address);
    cell[0] = 0;
    // The driver may have handed the address out again meanwhile.
    change(() -> taken.remove(address, cell));
  }

  private synchronized long[] cellOf(long address) {
    return requireNonNull(taken.get(address), "taken from the driver");
  }

  /** Gives all back. */
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
