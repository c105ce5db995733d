package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The pool itself is never closed, so it is asked for nothing. Lincheck makes instances of it. */
@DisplayName("In every order of two threads the routes to private pools")
@Tag("own-schedules")
public class ThreadScopesLincheckTest {
  private static final CachingAllocator UNASKED = CachingAllocator.create(new ScriptedDevice());

  private volatile boolean anyOpen;
  private final ThreadScopes routes = new ThreadScopes(any -> anyOpen = any);
  private final PrivatePool pool =
      new PrivatePool(1, UNASKED.pools(), routes, PrivatePoolOptions.DEFAULT, UNASKED.pools().main);

  /** A scope that any thread may close. */
  private final AtomicReference<@Nullable PoolScope> known = new AtomicReference<>();

  /** A fresh one for each order. */
  public ThreadScopesLincheckTest() {}

  /** A scope that only its thread knows counts there until it is closed, and is looked for. */
  @Operation
  public void routes() {
    PoolScope scope = pool.use();
    assertTrue(anyOpen, "nobody looks for a scope");
    assertSame(scope, routes.find(), "the innermost");
    scope.close();
  }

  /** The one before is closed, out of order. */
  @Operation
  public void replacesTheKnown() {
    close(known.getAndSet(pool.use()));
  }

  @Operation
  public void closesTheKnown() {
    close(known.get());
  }

  private static void close(@Nullable PoolScope scope) {
    if (scope != null) {
      scope.close();
    }
  }

  /** The flag and the uses follow from what is open, and nothing is left behind. */
  @Validate
  public void addsUp() {
    PoolScope scope = known.get();
    boolean open = scope != null && !scope.isClosed();
    assertEquals(open, anyOpen, "scopes are looked for");
    assertEquals(open ? 2 : 1, pool.getUseCount(), "the pool itself, and an open scope");
    close(scope);
    assertNull(routes.find());
  }

  @Test
  @DisplayName("lead a thread to its innermost open scope, and are looked up while any is open")
  void innermost() {
    EveryOrder.checkAssertions(ThreadScopesLincheckTest.class, 2 * EveryOrder.ORDERS);
  }
}
