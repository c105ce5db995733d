package org.vramkit.pool.caching.internal.arena;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Stops pools during an action. No block is allocated, freed, split or merged, and no allocation or
 * close is added to the history. Callers of the allocator wait meanwhile. A driver call may be in
 * progress, so memory may be on its way between the driver and a heap.
 *
 * <p>Takes the locks of each pool in their order: pending blocks, heap, streams, thread caches. The
 * action must not take any of them again.
 */
public final class Standstill {
  private Standstill() {}

  public static <T> T of(List<Arena> pools, Supplier<T> action) {
    return holding(pools, Standstill::stop, Standstill::resume, action);
  }

  private static void stop(Arena pool) {
    boolean done = false;
    pool.pending.lock.lock();
    try {
      pool.heap.lock.lock();
      try {
        pool.streams.stop();
        done = true;
      } finally {
        if (!done) {
          pool.heap.lock.unlock();
        }
      }
    } finally {
      if (!done) {
        pool.pending.lock.unlock();
      }
    }
  }

  private static void resume(Arena pool) {
    pool.streams.resume();
    pool.heap.lock.unlock();
    pool.pending.lock.unlock();
  }

  /**
   * Runs an action while a lock of each pool is held. Takes the locks in the order of the list, in
   * a loop, because a recursion over thousands of pools would overflow the stack.
   *
   * @return the action's result
   */
  static <T> T holding(
      List<Arena> pools, Consumer<Arena> take, Consumer<Arena> giveBack, Supplier<T> action) {
    int held = 0;
    try {
      for (Arena each : pools) {
        take.accept(each);
        held++;
      }
      return action.get();
    } finally {
      while (held > 0) {
        giveBack.accept(pools.get(--held));
      }
    }
  }
}
