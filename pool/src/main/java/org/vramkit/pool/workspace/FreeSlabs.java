package org.vramkit.pool.workspace;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;

/** Slabs that nobody leases, newest first in each class. Not safe for threads: the pool locks. */
final class FreeSlabs {
  private final int perClassCapacity;
  private final long byteBudget;
  private final Map<Long, ArrayDeque<Slab>> classes = new HashMap<>();

  /** All of them, the least recently used first. */
  private final LinkedHashSet<Slab> byAge = new LinkedHashSet<>();

  private long bytes;

  FreeSlabs(int perClassCapacity, long byteBudget) {
    this.perClassCapacity = perClassCapacity;
    this.byteBudget = byteBudget;
  }

  /** The newest slab of a class that the stream used last itself, else the newest; or null. */
  @Nullable Slab take(long size, Stream stream) {
    ArrayDeque<Slab> slabs = classes.get(size);
    if (slabs == null || slabs.isEmpty()) {
      return null;
    }
    Slab taken = slabs.getFirst();
    for (Slab slab : slabs) {
      if (slab.wasLastUsedBy(stream)) {
        taken = slab;
        break;
      }
    }
    remove(taken);
    return taken;
  }

  /**
   * Keeps a slab.
   *
   * @return what there is no room for now: the slab itself where its class is full, else the least
   *     recently used ones beyond the budget
   */
  List<Slab> keep(Slab slab) {
    ArrayDeque<Slab> slabs = classes.computeIfAbsent(slab.size(), size -> new ArrayDeque<>());
    if (slabs.size() >= perClassCapacity) {
      return List.of(slab);
    }
    slabs.addFirst(slab);
    byAge.add(slab);
    bytes += slab.size();
    return evictTo(byteBudget);
  }

  /** Takes the least recently used out until at most so many bytes are left. */
  List<Slab> evictTo(long keepBytes) {
    List<Slab> evicted = new ArrayList<>();
    Iterator<Slab> oldest = List.copyOf(byAge).iterator();
    while (bytes > keepBytes) {
      Slab slab = oldest.next();
      remove(slab);
      evicted.add(slab);
    }
    return evicted;
  }

  private void remove(Slab slab) {
    ArrayDeque<Slab> slabs = classes.get(slab.size());
    if (slabs != null) {
      slabs.remove(slab);
    }
    byAge.remove(slab);
    bytes -= slab.size();
  }

  long count() {
    return byAge.size();
  }

  long bytes() {
    return bytes;
  }
}
