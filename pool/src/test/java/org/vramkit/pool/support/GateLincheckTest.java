package org.vramkit.pool.support;

import static org.junit.jupiter.api.Assertions.assertFalse;

import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.caching.EveryOrder;

/** Lincheck makes instances of it, so it is public. */
@DisplayName("In every order of two threads a gate")
@Tag("own-schedules")
public class GateLincheckTest {
  private final Gate gate = new Gate("the gate");

  /** What the close gives back, and whoever is inside still uses. */
  private volatile boolean freed;

  /** A fresh one for each order. */
  public GateLincheckTest() {}

  /** An allocation finds nothing freed until its handle has been closed. */
  @Operation
  public void holds() {
    try {
      gate.enter();
    } catch (ClosedException e) {
      return;
    }
    assertFalse(freed, "while it is held");
    gate.startReturn();
    assertFalse(freed, "while it goes back");
    gate.endPass();
  }

  /** Nor does a call that ends by itself. */
  @Operation
  public void passes() {
    if (gate.startPass()) {
      assertFalse(freed, "while a call is inside");
      gate.endPass();
    }
  }

  /** Frees once it is closed. */
  @Operation(runOnce = true)
  public void ends() {
    try {
      gate.close(holders -> "held by " + holders);
    } catch (IllegalStateException held) {
      return;
    }
    freed = true;
  }

  @Test
  @DisplayName("17.2 is closed only when no call is inside or will be")
  void deserted() {
    EveryOrder.checkAssertions(GateLincheckTest.class, EveryOrder.ORDERS);
  }
}
