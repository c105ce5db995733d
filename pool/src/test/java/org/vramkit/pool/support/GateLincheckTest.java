package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertFalse;

import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.EveryOrder;

/** Lincheck makes instances of it, so it is public. */
@DisplayName("In every order of two threads a gate")
@Tag("own-schedules")
public class GateLincheckTest {
  private final Gate gate = new Gate("the gate", new PoolHealth("the pool"), 1);

  /** What the close gives back, and calls inside still use. */
  private volatile boolean freed;

  /** A fresh one for each order. */
  public GateLincheckTest() {}

  /** A call that is let in finds nothing freed, as long as it is inside. */
  @Operation
  public void uses() {
    if (gate.enter()) {
      assertFalse(freed, "while a call is inside");
      gate.leave();
    }
  }

  /** Looks alone. */
  @Operation(runOnce = true)
  public void looksAlone() {
    gate.hold();
    gate.resume();
  }

  /** Frees once no call is inside. */
  @Operation
  public void ends() {
    gate.shut();
    if (gate.isDeserted()) {
      freed = true;
    }
  }

  @Test
  @DisplayName("17.2 is deserted only when no call is inside or will be")
  void deserted() {
    EveryOrder.checkAssertions(GateLincheckTest.class, EveryOrder.ORDERS);
  }
}
