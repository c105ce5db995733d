package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.vramkit.api.error.Batch;

/**
 * The addresses that an allocator has taken from the driver and not given back, whatever else the
 * allocator knows of them: for its end after an error of the JVM. Safe for any thread; the monitor
 * is a leaf, and no driver is called under it.
 */
public final class TakenAddresses {
  private final Set<Long> taken = new HashSet<>();

  /** Addresses that are on their way there; 0 until the driver has answered. */
  private final List<long[]> arriving = new ArrayList<>();

  /** Creates a set of none. */
  public TakenAddresses() {}

  /** Takes memory from the driver. */
  public long take(LongSupplier driver) {
    long[] arrived = {0};
    change(() -> arriving.add(arrived));
    boolean kept = false;
    try {
      // Kept at once: an error of the JVM that comes next does not lose it.
      arrived[0] = driver.getAsLong();
      change(() -> taken.add(arrived[0]));
      kept = true;
      return arrived[0];
    } finally {
      if (kept || arrived[0] == 0) {
        change(() -> arriving.remove(arrived));
      }
    }
  }

  /** Gives memory back to the driver; where that fails it is still taken. */
  public void giveBack(long address, LongConsumer driver) {
    change(() -> taken.remove(address));
    try {
      driver.accept(address);
    } catch (RuntimeException | Error e) {
      change(() -> taken.add(address));
      throw e;
    }
  }

  /** Gives all back. */
  public void giveBackAll(LongConsumer driver) {
    Set<Long> all = new HashSet<>();
    change(
        () -> {
          all.addAll(taken);
          arriving.forEach(each -> all.add(each[0]));
          arriving.clear();
        });
    all.remove(0L);
    Batch.forEach(all, address -> giveBack(address, driver));
  }

  private synchronized void change(Runnable change) {
    change.run();
  }
}
