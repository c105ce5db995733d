package org.vramkit.pool.caching;

import java.util.List;
import org.vramkit.pool.caching.internal.arena.Arena;

/** What tests of the floors beneath see of an allocator, and users do not. */
public final class Insides {
  private Insides() {}

  /** The default pool first. */
  public static List<Arena> arenas(CachingAllocator allocator) {
    return allocator.pools().members();
  }

  /** Streams count as ones that never drain at once. */
  public static CachingAllocatorBuilder impatient(CachingAllocatorBuilder builder) {
    return builder.growthPatience(0);
  }
}
