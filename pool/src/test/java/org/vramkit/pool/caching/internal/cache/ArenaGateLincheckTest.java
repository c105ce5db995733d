package org.vramkit.pool.caching.internal.cache;

import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.EveryOrder;

/** Lincheck makes instances of it, so it is public. */
@DisplayName("In every order of three threads calls under way")
@Tag("own-schedules")
public class ArenaGateLincheckTest {
  private final ArenaGate calls = new ArenaGate("a pool", () -> {}, () -> {});

  /** What the last user of a pool frees, and whoever is inside still uses. */
  private volatile boolean freed;

  /** A fresh one for each order. */
  public ArenaGateLincheckTest() {}

  /** A call that is let in finds nothing freed, as long as it is inside. */
  @Operation
  public boolean uses() {
    if (!calls.enter()) {
      return true;
    }
    boolean safe = !freed;
    safe &= !freed;
    calls.leave();
    return safe;
  }

  /** Frees once nobody is inside. */
  @Operation
  public void ends() {
    calls.shut();
    if (calls.isDeserted()) {
      freed = true;
    }
  }

  @Test
  @DisplayName("have left only when no call is inside or will be")
  void deserted() {
    EveryOrder.check(ArenaGateLincheckTest.class, 3, 1);
  }
}
