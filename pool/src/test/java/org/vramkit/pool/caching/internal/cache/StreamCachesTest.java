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
import org.vramkit.pool.caching.internal.heap.BlockTable;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.stats.LiveUsage;
import org.vramkit.pool.caching.internal.stream.EventPool;
import org.vramkit.pool.caching.internal.stream.InFlightCalls;
import org.vramkit.pool.support.DriverStub;
import org.vramkit.pool.support.HandleStream;

@DisplayName("The heaps of streams")
class StreamCachesTest {
  private final DriverStub driver = new DriverStub();
  private final EventPool events = new EventPool(driver.device);
  private final StreamCaches heaps =
      new StreamCaches(
          stream ->
              new StreamCache(
                  stream,
                  mock(CacheBacking.class),
                  new InFlightCalls(),
                  mock(CachingAllocatorOptions.class),
                  mock(CacheCredit.class),
                  new LiveUsage(0),
                  events,
                  new BlockTable(),
                  0,
                  1));

  private HandleStream newStream() {
    return new HandleStream(driver.device, 7);
  }

  @Test
  @DisplayName("equal streams that are open have one")
  void twins() {
    HandleStream original = newStream();
    StreamCache heap = heaps.of(original);
    assertSame(heap, heaps.of(newStream()));
    assertSame(heap, heaps.of(original));
    assertEquals(List.of(heap), heaps.all());
  }

  @Test
  @DisplayName("R7 the next stream with a closed one's handle has its own, and that one's stays")
  void reusedHandle() {
    HandleStream closed = newStream();
    StreamCache old = heaps.of(closed);
    closed.close();
    HandleStream next = newStream();
    StreamCache heap = heaps.of(next);
    assertNotSame(old, heap);
    assertSame(heap, heaps.of(newStream()), "a twin of the new one");
    assertEquals(List.of(old, heap), heaps.all(), "to be settled and retired");

    heaps.forget(List.of(old));
    assertEquals(List.of(heap), heaps.all());
    assertSame(heap, heaps.of(next));
    assertThrows(ClosedException.class, () -> heaps.of(closed));
  }

  @Test
  @DisplayName("a stream whose wrapper was closed shares with its next wrapper")
  void closedWrapper() {
    HandleStream wrapper = newStream();
    StreamCache old = heaps.of(wrapper);
    HandleStream original = newStream();
    assertSame(old, heaps.of(original));
    wrapper.close();
    StreamCache heap = heaps.of(newStream());
    assertNotSame(old, heap);
    assertSame(heap, heaps.of(original));
  }
}
