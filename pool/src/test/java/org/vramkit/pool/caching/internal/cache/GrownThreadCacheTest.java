package org.vramkit.pool.caching.internal.cache;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.vramkit.api.units.ByteSize.MIB;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.HeapMaker;
import org.vramkit.pool.caching.ScriptedDevice;
import org.vramkit.pool.caching.ScriptedStream;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.heap.HeapChecks;
import org.vramkit.pool.caching.internal.heap.Region;
import org.vramkit.pool.caching.internal.stats.UsageGauge;

/** A cache of 4 MiB whose users hold 64 MiB. */
@DisplayName("41.6 A thread cache whose threads wait for each other at the heap")
class GrownThreadCacheTest {
  private static final long LIVE = 64 * MIB;

  private final ScriptedDevice device = new ScriptedDevice();
  private final StreamCache stream = new HeapMaker(device).make(new ScriptedStream(device, 7));
  private final Block.Table numbers = new Block.Table();
  private final ThreadCache cache =
      new ThreadCache(stream, new StreamCache.Settings(4 * MIB, 0, 1), new UsageGauge(), numbers);
  private final Region region = HeapChecks.region(1 << 30);
  private long made;

  @BeforeEach
  void hold() {
    cache.stats.allocated(LIVE, LIVE);
  }

  @AfterEach
  void nothingIsLive() {
    cache.stats.freed(LIVE, LIVE);
    cache.empty();
    cache.drain(0);
    assertEquals(0, cache.bytes());
    assertEquals(0, cache.stats.allocated());
  }

  /** A block that its user closes; returns what there is no room for. */
  private @Nullable Block close(long size) {
    Block block = HeapChecks.block(region, made, size);
    made += size;
    block.requested = size;
    block.cache = cache;
    numbers.give(block);
    cache.stats.allocated(size, size);
    Block overflow = cache.give(block);
    if (overflow != null) {
      stream.gate.leave();
    }
    return overflow;
  }

  @Test
  @DisplayName(
      "keeps large blocks and twice as much with each wait, up to a quarter of what is live")
  void grows() {
    assertNotNull(close(3 * MIB), "a large block in a small cache");
    cache.grow();
    for (int i = 0; i < 2; i++) {
      assertNull(close(3 * MIB));
    }
    assertNotNull(close(3 * MIB), "beyond 8 MiB");
    cache.grow();
    cache.grow();
    cache.drain(0);
    for (int i = 0; i < 5; i++) {
      assertNull(close(3 * MIB));
    }
    assertNotNull(close(3 * MIB), "beyond 16 MiB");
  }

  @Test
  @DisplayName("serves a request with a block that is up to a half larger")
  void reaches() {
    cache.grow();
    assertNull(close(3 * MIB));
    assertNull(close(MIB));
    Block block = cache.take(2 * MIB, 2 * MIB);
    assertEquals(3 * MIB, requireNonNull(block).size);
    cache.stats.freed(2 * MIB, 3 * MIB);
  }

  @Test
  @DisplayName("keeps all where the heap has nothing that fits, and half once the waits are over")
  void shrinks() {
    cache.grow();
    cache.grow();
    assertNull(close(3 * MIB));
    assertEquals(16 * MIB, cache.shrink());
    assertEquals(8 * MIB, cache.shrink());
    assertEquals(0, cache.shrink(), "a small cache is emptied");
    assertNotNull(close(3 * MIB), "a large block in a small cache");
  }

  @Test
  @DisplayName("begins anew where memory is scarce, and grows no more while it is frozen")
  void beginsAnew() {
    cache.grow();
    assertEquals(0, cache.empty());
    assertNotNull(close(3 * MIB));
    assertEquals(0, cache.freeze());
    cache.grow();
    Block block = close(MIB);
    assertNotNull(block);
    assertSame(cache, block.cache);
    cache.unfreeze();
  }
}
