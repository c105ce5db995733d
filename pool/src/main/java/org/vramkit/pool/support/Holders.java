package org.vramkit.pool.support;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import org.vramkit.api.device.Device;

/**
 * The pools that keep memory of allocators, so that an allocator that cannot be closed names the
 * pool that holds an allocation. Thread-safe.
 */
public final class Holders {
  private static final Set<LeasePool<?, ?>> POOLS =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private Holders() {}

  static void add(LeasePool<?, ?> pool) {
    POOLS.add(pool);
  }

  /** Returns a phrase about the pool that holds the memory at an address; empty for none. */
  public static String describe(Device device, long address) {
    List<LeasePool<?, ?>> pools;
    synchronized (POOLS) {
      pools = List.copyOf(POOLS);
    }
    return pools.stream()
        .filter(each -> each.holds(device, address))
        .findFirst()
        .map(each -> ", held by " + each)
        .orElse("");
  }
}
