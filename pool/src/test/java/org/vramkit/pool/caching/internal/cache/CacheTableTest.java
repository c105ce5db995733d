package org.vramkit.pool.caching.internal.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mockito.Mockito.mock;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.ClosedException;
import org.vramkit.pool.caching.internal.heap.Block;
import org.vramkit.pool.caching.internal.stats.UsageGauge;
import org.vramkit.pool.support.DriverStub;
import org.vramkit.pool.support.EventPool;
import org.vramkit.pool.support.Gate;
import org.vramkit.pool.support.HandleStream;
import org.vramkit.pool.support.PoolHealth;
import org.vramkit.pool.support.StreamProgress;

@DisplayName("The heaps of streams")
class CacheTableTest {
  private final DriverStub driver = new DriverStub();
  private final EventPool events = new EventPool(driver.device);
  private final CacheTable streams =
      new CacheTable(
          new PoolHealth("an allocator"),
          stream ->
              new StreamCache(
                  stream,
                  new StreamProgress(stream, events, System::nanoTime, none -> false),
                  mock(CacheBacking.class),
                  new Gate("a pool", new PoolHealth("an allocator")),
                  new PoolHealth("an allocator"),
                  new StreamCache.Settings(0, 0, 1),
                  new UsageGauge(),
                  new Block.Table()),
          false);

  private HandleStream newStream() {
    return new HandleStream(driver.device, 7);
  }

  @Test
  @DisplayName("equal streams that are open have one")
  void twins() {
    HandleStream original = newStream();
    StreamCache heap = streams.of(original);
    assertSame(heap, streams.of(newStream()));
    assertSame(heap, streams.of(original));
    assertEquals(List.of(heap), streams.all());
  }

  @Test
  @DisplayName("R7 the next stream with a closed one's handle has its own, and that one's stays")
  void reusedHandle() {
    HandleStream closed = newStream();
    StreamCache old = streams.of(closed);
    closed.close();
    HandleStream next = newStream();
    StreamCache heap = streams.of(next);
    assertNotSame(old, heap);
    assertSame(heap, streams.of(newStream()), "a twin of the new one");
    assertEquals(List.of(old, heap), streams.all(), "to be settled and retired");

    streams.forget(List.of(old));
    assertEquals(List.of(heap), streams.all());
    assertSame(heap, streams.of(next));
    assertThrows(ClosedException.class, () -> streams.of(closed));
  }

  @Test
  @DisplayName("a stream whose wrapper was closed shares with its next wrapper")
  void closedWrapper() {
    HandleStream wrapper = newStream();
    StreamCache old = streams.of(wrapper);
    HandleStream original = newStream();
    assertSame(old, streams.of(original));
    wrapper.close();
    StreamCache heap = streams.of(newStream());
    assertNotSame(old, heap);
    assertSame(heap, streams.of(original));
  }
}
