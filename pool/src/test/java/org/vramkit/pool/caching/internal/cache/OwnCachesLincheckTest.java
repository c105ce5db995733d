package org.vramkit.pool.caching.internal.cache;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.EveryOrder;
import org.vramkit.pool.caching.HeapMaker;
import org.vramkit.pool.caching.ScriptedDevice;
import org.vramkit.pool.caching.ScriptedStream;
import org.vramkit.pool.support.PoolHealth;

/**
 * A table so small that threads share places: all pairs one, and threads 1 and 3 another one.
 * Lincheck makes instances of it, so it is public.
 */
@DisplayName("In every order of two threads the table of thread caches")
@Tag("own-schedules")
public class OwnCachesLincheckTest {
  private static final ThreadCache ONE = cache(7);
  private static final ThreadCache OTHER = cache(8);

  private final CacheTable table =
      new CacheTable(
          new PoolHealth("an allocator"), new HeapMaker(new ScriptedDevice())::make, 2, 1);

  /** A fresh one for each order. */
  public OwnCachesLincheckTest() {}

  private static ThreadCache cache(long handle) {
    ScriptedDevice device = new ScriptedDevice();
    return new HeapMaker(device).make(new ScriptedStream(device, handle)).ownCache();
  }

  /** As an allocation does: what is not found is remembered. */
  private void wants(ThreadCache cache, int thread) {
    ThreadCache found = table.findCache(cache.stream, thread);
    assertTrue(found == null || found == cache, "another stream's");
    if (found == null) {
      table.rememberCache(cache, thread);
    }
  }

  @Operation
  public void wantsBoth() {
    wants(ONE, 1);
    wants(OTHER, 1);
    wants(ONE, 1);
  }

  /** By a thread that has its place in common with the other one's. */
  @Operation
  public void wantsBothAsWell() {
    wants(OTHER, 3);
    wants(ONE, 3);
    wants(OTHER, 3);
  }

  @Operation
  public void clears() {
    table.forgetUsed();
  }

  /** Left alone it forgets, and learns again. */
  @Validate
  public void learnsAgain() {
    table.forgetUsed();
    assertNull(table.findCache(ONE.stream, 1));
    table.rememberCache(ONE, 1);
    assertSame(ONE, table.findCache(ONE.stream, 1));
    assertSame(ONE, table.findCache(ONE.stream, 2), "by the pair, where threads share it");
  }

  @Test
  @DisplayName("finds what is right, or nothing")
  void rightOrNothing() {
    EveryOrder.checkAssertions(OwnCachesLincheckTest.class, 3 * EveryOrder.ORDERS);
  }
}
