package org.vramkit.pool.caching;

import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lincheck makes instances of it, so it is public. */
@DisplayName("In every order of three threads a gate")
@Tag("own-schedules")
public class GateLincheckTest {
  private final Gate gate = new Gate();

  /** What the last user of a pool frees, and whoever is inside still uses. */
  private volatile boolean freed;

  /** A fresh one for each order. */
  public GateLincheckTest() {}

  /** A call that is let in finds nothing freed, as long as it is inside. */
  @Operation
  public boolean uses() {
    if (!gate.enter()) {
      return true;
    }
    boolean safe = !freed;
    safe &= !freed;
    gate.leave();
    return safe;
  }

  /** Frees once nobody is inside. */
  @Operation
  public void ends() {
    gate.shut();
    if (gate.isDeserted()) {
      freed = true;
    }
  }

  @Test
  @DisplayName("is deserted only when nobody is inside or will be")
  void deserted() {
    EveryOrder.check(GateLincheckTest.class, 3, 1);
  }
}
