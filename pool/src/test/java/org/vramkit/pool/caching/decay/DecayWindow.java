package org.vramkit.pool.caching.decay;

import static org.vramkit.pool.caching.Sandbox.MIB;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.CachingAllocatorBuilder;
import org.vramkit.pool.caching.Sandbox;
import org.vramkit.pool.caching.VirtualMemoryUse;
import org.vramkit.pool.caching.internal.arena.Decay;

/** Allocators that give back what nobody asks for, and the clock that a test winds for them. */
final class DecayWindow {
  private static final Duration WINDOW = Duration.ofSeconds(10);

  /** The part of the window, in nanoseconds, in which they look once at what is free. */
  static final long INTERVAL = WINDOW.toNanos() / Decay.INTERVALS;

  /** Intervals after which all is gone: the window, and what it takes to see that it is free. */
  static final int ALL = Decay.INTERVALS + 3;

  /** Starts so late that it overflows on the way. */
  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5 * INTERVAL);

  long getNanos() {
    return clock.get();
  }

  void passNanos(long nanos) {
    clock.addAndGet(nanos);
  }

  void pass(int intervals) {
    passNanos(intervals * INTERVAL);
  }

  CachingAllocatorBuilder decaying(CachingAllocatorBuilder builder) {
    return builder.decay(WINDOW).clock(this::getNanos);
  }

  Sandbox uncached(VirtualMemoryUse use) {
    return Sandbox.uncached(use, this::decaying);
  }

  /** As a timer would call for it, once an interval. */
  void decayFor(Sandbox box, int intervals) {
    for (int i = 0; i < intervals; i++) {
      pass(1);
      box.allocator.decay();
    }
  }

  /** So many blocks of 40 MiB at once, each a segment of its own where memory is not virtual. */
  static void allocateAndClose(Sandbox box, int count) {
    Stream.generate(() -> box.allocate(40 * MIB)).limit(count).toList().forEach(Allocation::close);
  }

  static long reserved(Sandbox box) {
    return box.statistics().reserved().current();
  }
}
