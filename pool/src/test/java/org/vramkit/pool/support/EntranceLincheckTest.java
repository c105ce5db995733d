package org.vramkit.pool.support;

import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.caching.EveryOrder;

/** Lincheck makes instances of it, so it is public. */
@DisplayName("In every order of three threads an entrance")
@Tag("own-schedules")
public class EntranceLincheckTest {
  private final Entrance entrance = new Entrance();

  /** What the close gives back, and whoever is inside still uses. */
  private volatile boolean freed;

  /** A fresh one for each order. */
  public EntranceLincheckTest() {}

  /** An allocation that is made finds nothing freed until its handle has been closed. */
  @Operation
  public boolean holds() {
    try {
      entrance.enter("it");
    } catch (ClosedException closed) {
      return true;
    }
    boolean safe = !freed;
    entrance.startReturn();
    safe &= !freed;
    entrance.endPass();
    return safe;
  }

  /** Nor does one that comes to nothing, or a call that ends by itself. */
  @Operation
  public boolean passes() {
    if (!entrance.startPass()) {
      return true;
    }
    boolean safe = !freed;
    entrance.endPass();
    return safe;
  }

  /** Frees once it is closed. */
  @Operation
  public void ends() {
    try {
      entrance.close(holders -> "held by " + holders);
      freed = true;
    } catch (IllegalStateException held) {
      // Refused, and nothing has changed.
    }
  }

  @Test
  @DisplayName("17.2 is closed only when nobody is inside or will be")
  void deserted() {
    EveryOrder.check(EntranceLincheckTest.class, 3, 1);
  }
}
