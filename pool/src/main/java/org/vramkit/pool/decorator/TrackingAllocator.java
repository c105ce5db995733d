package org.vramkit.pool.decorator;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.support.CallerStack;
import org.vramkit.pool.support.Holders;
import org.vramkit.pool.support.UserError;

/**
 * Tracks live allocations and their callers, in order to find allocations that are never closed. An
 * allocation costs a map entry, and with stacks about a microsecond for each ten frames.
 */
public final class TrackingAllocator extends AllocatorDecorator {
  private static final int MAX_FRAMES = 32;

  /** Most allocations in the error of a close that comes too early. */
  private static final int MAX_NAMED = 10;

  private final boolean stacks;
  private final AtomicLong numbers = new AtomicLong();
  private final Map<DecoratedAllocation, LiveAllocation> live = new ConcurrentHashMap<>();

  private TrackingAllocator(Allocator upstream, boolean stacks) {
    super(upstream);
    this.stacks = stacks;
  }

  /** Tracks sizes, streams and threads. */
  public static TrackingAllocator over(Allocator upstream) {
    return new TrackingAllocator(upstream, false);
  }

  /** Tracks sizes, streams, threads and stacks. */
  public static TrackingAllocator withStacks(Allocator upstream) {
    return new TrackingAllocator(upstream, true);
  }

  @Override
  void allocated(DecoratedAllocation allocation) {
    live.put(
        allocation,
        new LiveAllocation(
            numbers.incrementAndGet(),
            UserError.callUser(allocation::getAddress),
            allocation.getSize(),
            UserError.callUser(allocation::getStream).getHandle(),
            Thread.currentThread().getName(),
            stacks ? CallerStack.take(MAX_FRAMES) : List.of()));
  }

  @Override
  void freed(DecoratedAllocation allocation) {
    live.remove(allocation);
  }

  /** Returns the live allocations in the order of allocation. */
  public List<LiveAllocation> getLive() {
    return live.values().stream().sorted(Comparator.comparingLong(LiveAllocation::number)).toList();
  }

  @Override
  protected String describeOpen() {
    StringBuilder text = new StringBuilder();
    for (LiveAllocation each : getLive().stream().limit(MAX_NAMED).toList()) {
      text.append(
          String.format(
              "%n  #%d: %s at 0x%x on stream 0x%x by thread %s%s",
              each.number(),
              ByteSize.format(each.size()),
              each.address(),
              each.stream(),
              each.thread(),
              Holders.describe(getDevice(), each.address())));
      each.stack().forEach(frame -> text.append(String.format("%n      at %s", frame)));
    }
    return text.toString();
  }
}
