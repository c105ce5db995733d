package org.vramkit.pool.caching;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.units.Count;

/**
 * The private pools of an allocator: those that are open, and those that have ended and still hold
 * memory. The monitor guards the list against other writers; readers take what was published.
 */
final class PrivatePools {
  private final CachingAllocator main;
  private volatile List<PrivatePool> all = List.of();
  private long lastId;

  PrivatePools(CachingAllocator main) {
    this.main = main;
  }

  synchronized PrivatePool add(LongFunction<PrivatePool> factory) {
    PrivatePool pool = factory.apply(++lastId);
    List<PrivatePool> more = new ArrayList<>(all);
    more.add(pool);
    all = List.copyOf(more);
    return pool;
  }

  private synchronized void forget(PrivatePool pool) {
    Runnable removal = () -> all = all.stream().filter(each -> each != pool).toList();
    CachingAllocator core = pool.core();
    if (core == null) {
      removal.run();
    } else {
      main.retire(core, removal);
    }
  }

  /** Makes the peaks of one pool what it holds; those over all pools stay. */
  void resetPeaksOf(CachingAllocator core) {
    core.resetPeaksBeside(main.statistics);
  }

  /** The default pool and what is inside of each private one. */
  List<CachingAllocator> members() {
    return Stream.concat(Stream.of(main), used()).toList();
  }

  List<StatisticsReader> readers() {
    return used().map(core -> core.statistics).toList();
  }

  /** What is inside of those that somebody has used. */
  private Stream<CachingAllocator> used() {
    return all.stream().map(PrivatePool::core).filter(core -> core != null);
  }

  /** Those that keep their memory to themselves. */
  List<PrivatePool> open() {
    return all.stream().filter(each -> !each.isEnded()).toList();
  }

  private List<PrivatePool> ended() {
    return all.stream().filter(PrivatePool::isEnded).toList();
  }

  /**
   * Has an ended pool give memory back until all pools have reserved at most so much, and forgets
   * it once it holds nothing.
   *
   * @return bytes given back
   */
  long drain(PrivatePool pool, long keepBytes, boolean waiting) {
    CachingAllocator core = pool.core();
    long given = core == null ? 0 : core.giveBack(keepBytes, waiting);
    if (pool.vanish()) {
      forget(pool);
    }
    return given;
  }

  /** Refuses an end of the allocator as long as graphs use memory of it. */
  void requireNoGraphs() {
    for (PrivatePool each : all) {
      CachingAllocator core = each.core();
      if (core != null && core.graphs() > 0) {
        throw new IllegalStateException(
            "cannot close: "
                + Count.of(core.graphs(), "graph")
                + " captured into "
                + each
                + " may still be launched; close the graphs first");
      }
    }
  }

  /** Begins a capture while no call of any pool is under way. */
  void beginCapture(Runnable begin) {
    quietly(
        () -> {
          beginBeside(members(), begin);
          return true;
        });
  }

  /** Closes go on meanwhile: none of them marks a stream that is captured the moment after. */
  private static void beginBeside(List<CachingAllocator> members, Runnable begin) {
    if (members.isEmpty()) {
      begin.run();
    } else {
      synchronized (members.get(0).pending) {
        beginBeside(members.subList(1, members.size()), begin);
      }
    }
  }

  /** A pool has no use any more. */
  void end(PrivatePool pool) {
    // Once the allocator is closed it gives all back itself.
    if (main.calls.enter()) {
      try {
        pool.shut();
        main.captured().relaxed(() -> drain(pool, 0, true));
      } finally {
        main.calls.leave();
      }
    }
  }

  /** The same for all that have ended. */
  long drainEnded(long keepBytes, boolean waiting) {
    long given = 0;
    for (PrivatePool each : ended()) {
      given += drain(each, keepBytes, waiting);
    }
    return given;
  }

  /**
   * Does something while no call is under way in any pool, no hit happens, and all that is free
   * lies in the heaps. Frees go on. Not from inside of a call.
   */
  <T> T quietly(Supplier<T> action) {
    main.hold();
    try {
      return quietlyBeside(used().toList(), action);
    } finally {
      main.letGo();
    }
  }

  private static <T> T quietlyBeside(List<CachingAllocator> inner, Supplier<T> action) {
    int held = 0;
    try {
      for (CachingAllocator each : inner) {
        each.hold();
        held++;
      }
      return action.get();
    } finally {
      while (held > 0) {
        held--;
        inner.get(held).letGo();
      }
    }
  }

  /** Ends all pools, whatever scopes are open. */
  void close() {
    for (PrivatePool each : all) {
      each.markClosed();
      drain(each, 0, true);
      // Whoever waited outside comes in for a moment, only to learn that it is closed.
      while (all.contains(each) && each.isEmpty()) {
        each.awaitDeserted();
        drain(each, 0, true);
      }
    }
    if (!all.isEmpty()) {
      throw new IllegalStateException("cannot close: " + all.get(0) + " is in use");
    }
  }

  /** What the default pool can turn to. */
  OtherPools besideDefault() {
    return new OtherPools() {
      @Override
      public boolean giveBack(long bytes) {
        return drainEnded(keeping(bytes), false) > 0;
      }

      @Override
      public boolean waitAndGiveBack() {
        return drainEnded(0, true) > 0;
      }

      @Override
      public boolean canLend() {
        return lenders().findAny().isPresent();
      }

      @Override
      public @Nullable Block lend(org.vramkit.api.device.Stream stream, long size) {
        return lenders()
            .map(each -> each.lend(stream, size))
            .filter(block -> block != null)
            .findFirst()
            .orElse(null);
      }
    };
  }

  private Stream<PrivatePool> lenders() {
    Predicate<PrivatePool> lends = each -> each.options.lending();
    return all.stream().filter(lends);
  }

  /**
   * What a private pool can turn to: nobody lends to it, and other open ones keep what they have.
   */
  OtherPools besidePrivate() {
    return new OtherPools() {
      @Override
      public boolean giveBack(long bytes) {
        long keep = keeping(bytes);
        return drainEnded(keep, false) + main.giveBack(keep, false) > 0;
      }

      @Override
      public boolean waitAndGiveBack() {
        return drainEnded(0, true) + main.giveBack(0, true) > 0;
      }

      @Override
      public boolean canLend() {
        return false;
      }

      @Override
      public @Nullable Block lend(org.vramkit.api.device.Stream stream, long size) {
        return null;
      }
    };
  }

  /** Does something while the allocator cannot be closed, nor looks alone. */
  <T> T inside(Supplier<T> action) {
    return main.inside(action);
  }

  CapturedStreams captured() {
    return main.captured();
  }

  Device getDevice() {
    return main.getDevice();
  }

  private long keeping(long bytes) {
    return Math.max(0, main.heap.books.reserved() - bytes);
  }
}
