package org.vramkit.pool.caching.internal.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.EveryOrder;
import org.vramkit.pool.caching.HeapMaker;
import org.vramkit.pool.caching.ScriptedDevice;
import org.vramkit.pool.support.HandleStream;
import org.vramkit.pool.support.PoolHealth;

/** Lincheck makes instances of it, so it is public. */
@DisplayName("In every order of two threads the table of streams")
@Tag("own-schedules")
public class CacheTableLincheckTest {
  private final ScriptedDevice device = new ScriptedDevice();
  private final HeapMaker maker = new HeapMaker(device);
  private final CacheTable streams =
      new CacheTable(new PoolHealth("an allocator"), maker::make, 2, 2);
  private final HandleStream original = new HandleStream(device, 7);
  private final HandleStream twin = new HandleStream(device, 7);
  private final AtomicLong handles = new AtomicLong(7);
  private final Queue<HandleStream> kept = new ConcurrentLinkedQueue<>();

  /** A fresh one for each order. */
  public CacheTableLincheckTest() {}

  /** Also while the table grows or is forgotten. */
  @Operation
  public void finds() {
    StreamCache heap = streams.of(original);
    assertSame(heap, streams.of(twin), "the twin's");
    assertSame(heap, streams.of(original), "the same object's");
  }

  /** A stream for a task, which ends with it. */
  @Operation
  public void retires() {
    HandleStream brief = new HandleStream(device, handles.incrementAndGet());
    StreamCache heap = streams.of(brief);
    assertSame(brief, heap.stream);
    brief.close();
    streams.forget(List.of(heap));
  }

  /** A stream that stays open. */
  @Operation
  public void learns() {
    HandleStream stream = new HandleStream(device, handles.incrementAndGet());
    streams.of(stream);
    kept.add(stream);
  }

  /** The next stream with a closed one's handle. */
  @Operation
  public void renews() {
    HandleStream closed = new HandleStream(device, handles.incrementAndGet());
    StreamCache old = streams.of(closed);
    closed.close();
    HandleStream next = new HandleStream(device, closed.getHandle());
    StreamCache heap = streams.renew(old, next);
    assertSame(next, heap.stream);
    assertSame(heap, streams.of(next));
    next.close();
    streams.forget(List.of(old, heap));
  }

  @Validate
  public void remembersTheOpen() {
    Set<StreamCache> open = new HashSet<>(Set.of(streams.of(original)));
    kept.forEach(each -> open.add(streams.of(each)));
    assertEquals(open, Set.copyOf(streams.all()));
    assertEquals(open.size(), streams.all().size());
  }

  @Test
  @DisplayName("has one heap for each stream")
  void oneEach() {
    EveryOrder.checkAssertions(CacheTableLincheckTest.class, EveryOrder.ORDERS, HeapMaker.class);
  }
}
