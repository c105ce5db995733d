package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.ClosedException;

/** Lincheck makes instances of it, so it is public. */
@DisplayName("In every order of two threads a private pool")
@Tag("own-schedules")
public class PrivatePoolLincheckTest {
  private final PoolHouse house = new PoolHouse();
  private final PrivatePool pool = house.pool;

  /** A fresh one for each order. */
  public PrivatePoolLincheckTest() {}

  /** While a scope is open the pool has not ended, even where it was closed. */
  @Operation
  public void uses() {
    allocates();
    PoolScope scope;
    try {
      scope = pool.use();
    } catch (ClosedException closed) {
      assertTrue(pool.isClosed());
      return;
    }
    Allocation survivor = scope.tryAllocate(1, 1, house.stream, "");
    assertNotNull(survivor, "ended under an open scope");
    house.allocated();
    scope.close();
    survivor.close();
  }

  @Operation
  public void closes() {
    pool.close();
    assertTrue(pool.isClosed());
  }

  /** By one who knows the pool as an allocator. */
  private void allocates() {
    try {
      pool.allocate(1, house.stream).close();
      house.allocated();
    } catch (ClosedException closed) {
      assertTrue(pool.isClosed());
    }
  }

  @Validate
  public void leavesNothing() {
    house.close();
  }

  @Test
  @DisplayName("ends once, with its last use, and no call allocates afterwards")
  void endsOnce() {
    EveryOrder.checkAssertions(
        PrivatePoolLincheckTest.class, EveryOrder.ORDERS / 2, PoolHouse.provedElsewhere());
  }
}
