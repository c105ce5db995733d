package org.vramkit.pool.caching.internal.stats;

import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.EveryOrder;

/** Lincheck makes instances of it, so it is public. */
@DisplayName("In every order of two threads the gauge of live bytes")
@Tag("own-schedules")
public class LiveUsageLincheckTest {
  private final LiveUsage total = new LiveUsage(0);
  private final LiveUsage pool = new PoolLiveUsage(total);

  /** A fresh one for each order. */
  public LiveUsageLincheckTest() {}

  @Operation
  public void takes() {
    pool.add(3, 4, 1);
  }

  @Operation
  public void givesBack() {
    pool.add(-3, -4, -1);
  }

  @Operation
  public long peak() {
    return total.peaks().allocated();
  }

  @Operation
  public long ownPeak() {
    return pool.peaks().requested();
  }

  @Test
  @DisplayName("misses no byte, and no peak")
  void exact() {
    EveryOrder.check(LiveUsageLincheckTest.class, 2, 2);
  }
}
