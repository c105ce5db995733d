package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.internal.arena.Arena;

/** Lincheck makes instances of it, so it is public. */
@DisplayName("In every order of two threads the private pools of an allocator")
@Tag("nightly")
@Tag("own-schedules")
public class PrivatePoolsLincheckTest {
  private final PoolHouse house = new PoolHouse();

  /** A fresh one for each order, whose first pool has served somebody. */
  public PrivatePoolsLincheckTest() {
    house.pool.allocate(1, house.stream).close();
    house.allocated();
  }

  @Operation
  public void makesAnother() {
    PrivatePool another = house.allocator.createPool();
    Arena inside = another.arena();
    assertTrue(house.pools().members().contains(inside), "is not in the list");
    another.close();
  }

  @Operation
  public void closes() {
    house.pool.close();
  }

  /** Whoever wants memory looks after ended pools. */
  @Operation
  public void drains() {
    house.pools().drainEnded(0, true);
  }

  @Validate
  public void leavesNothing() {
    house.close();
  }

  @Test
  @DisplayName("are known from the start, forgotten once, and counted for good")
  void forgottenOnce() {
    EveryOrder.checkAssertions(
        PrivatePoolsLincheckTest.class, EveryOrder.ORDERS / 2, PoolHouse.provedElsewhere());
  }
}
