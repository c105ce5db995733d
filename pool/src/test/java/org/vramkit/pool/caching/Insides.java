package org.vramkit.pool.caching;

import java.util.List;
import org.vramkit.pool.caching.internal.arena.Arena;
import org.vramkit.pool.caching.internal.arena.PoolRegistry;
import org.vramkit.pool.caching.internal.cache.StreamCache;
import org.vramkit.pool.caching.internal.heap.Block;

/** What tests of the floors beneath see of an allocator, and users do not. */
public final class Insides {
  private Insides() {}

  /** The default pool first. */
  public static List<Arena> arenas(CachingAllocator allocator) {
    return allocator.pools().members();
  }

  public static PoolRegistry pools(CachingAllocator allocator) {
    return allocator.pools();
  }

  public static Arena arena(PrivatePool pool) {
    return pool.arena();
  }

  public static boolean isClosed(PoolScope scope) {
    return scope.isClosed();
  }

  /** Brings a block that a thread cache has no room for to the heap. */
  public static void spill(Block overflow) {
    StreamCache owner = StreamCache.of(overflow);
    try {
      owner.backing.takeBack(overflow);
    } finally {
      ((Arena) owner.backing).gate.leave();
    }
  }

  /** Sets how often a stream is asked again before memory is taken from the driver. */
  public static CachingAllocatorBuilder polls(CachingAllocatorBuilder builder, int polls) {
    return builder.polls(polls);
  }

  /** Streams count as ones that never drain at once. */
  public static CachingAllocatorBuilder impatient(CachingAllocatorBuilder builder) {
    return polls(builder, 0);
  }
}
