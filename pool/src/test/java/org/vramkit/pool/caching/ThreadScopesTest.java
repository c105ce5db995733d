package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.internal.arena.PoolRegistry;

@DisplayName("17.16 A scope of a private pool")
class ThreadScopesTest {
  @Test
  @DisplayName("that the JVM cannot open leaves no scope and no use of the pool")
  void failedOpen() {
    try (CachingAllocator allocator = CachingAllocator.create(new ScriptedDevice())) {
      ThreadScopes routes =
          new ThreadScopes(
              anyOpen -> {
                throw new OutOfMemoryError("none left");
              });
      PoolRegistry pools = allocator.pools();
      PrivatePool pool = new PrivatePool(1, pools, routes, PrivatePoolOptions.DEFAULT, null);
      assertThrows(OutOfMemoryError.class, pool::use);
      assertEquals(1, pool.getUseCount());
      assertNull(routes.find());
    }
  }
}
