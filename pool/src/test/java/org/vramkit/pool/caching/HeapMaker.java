package org.vramkit.pool.caching;

import org.vramkit.api.device.Stream;

/**
 * Makes heaps of streams whose allocator is asked for nothing and whose options say 0, for
 * Lincheck. What a heap is made of takes many steps that nobody else sees, so this class can be
 * named to it as one that is not gone into.
 */
final class HeapMaker {
  private static final CachingAllocatorBuilder DEFAULT =
      CachingAllocator.builder(new ScriptedDevice());
  private static final Arena UNASKED = DEFAULT.build().pools().main();
  private static final CachingAllocatorOptions OPTIONS = DEFAULT.options();

  private final EventPool events;
  private final LiveGauge gauge = new LiveGauge(0);
  private final BlockNumbers numbers = new BlockNumbers();
  private final CacheCredit credit =
      new CacheCredit(0, new MemoryBooks(Long.MAX_VALUE), () -> 0, () -> 0);

  HeapMaker(ScriptedDevice device) {
    events = new EventPool(device);
  }

  StreamHeap make(Stream stream) {
    return new StreamHeap(
        stream, UNASKED, UNASKED.calls, OPTIONS, credit, gauge, events, numbers, 0, 1);
  }
}
