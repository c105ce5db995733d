package org.vramkit.pool.caching.outofmemory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.vramkit.api.allocator.Allocation;

/** The live allocations of a random program, by the number of their pool. */
final class HeldAllocations {
  private record Held(Allocation allocation, int pool) {}

  private final List<Held> held = new ArrayList<>();

  void add(Allocation allocation, int pool) {
    held.add(new Held(allocation, pool));
  }

  boolean isEmpty() {
    return held.isEmpty();
  }

  void closeOne(Random random) {
    held.remove(random.nextInt(held.size())).allocation.close();
  }

  /** Closes those of all other pools; a number that no pool has closes all. */
  void closeAllBut(int pool) {
    held.stream().filter(each -> each.pool != pool).forEach(each -> each.allocation.close());
  }

  /** Closes allocations of a pool until they have these bytes; returns the bytes. */
  long free(long bytes, int pool, Random random) {
    List<Held> order = new ArrayList<>(held);
    Collections.shuffle(order, random);
    long freed = 0;
    for (Held each : order) {
      if (each.pool == pool && freed < bytes) {
        freed += each.allocation.getSize();
        each.allocation.close();
      }
    }
    return freed;
  }
}
