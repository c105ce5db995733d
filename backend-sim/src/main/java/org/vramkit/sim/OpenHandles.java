package org.vramkit.sim;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.Checker;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.hazard.LeakKind;

/**
 * The open handles of the driver, which are leaks if they are never closed. Guarded by the
 * backend's lock.
 */
final class OpenHandles {
  /** The handle of every device's default stream. */
  static final long DEFAULT_STREAM = 0;

  private static final int MOST_FREED_IN_ORDER = 1 << 16;

  /**
   * Identifies a handle. Overrides the generated methods, whose linkage at the first call slows
   * down the start.
   */
  private record Key(LeakKind kind, long handle) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Key key && kind == key.kind && handle == key.handle;
    }

    @Override
    public int hashCode() {
      return 31 * kind.hashCode() + Long.hashCode(handle);
    }
  }

  /** A handle, with frames that are created only if it leaks. */
  private record Held(
      LeakKind kind,
      int device,
      long handle,
      String name,
      long bytes,
      List<StackTraceElement> stack,
      boolean collected) {
    Leak toLeak() {
      return new Leak(kind, device, handle, name, bytes, stack, collected);
    }

    Held asCollected() {
      return new Held(kind, device, handle, name, bytes, stack, true);
    }
  }

  /** Notices that an object was garbage-collected, so that it can no longer be closed. */
  private static final class Watch extends PhantomReference<Object> {
    private final Key key;

    Watch(Object object, Key key, ReferenceQueue<Object> queue) {
      super(object, queue);
      this.key = key;
    }
  }

  private final Checker checker;
  private final Map<Key, Held> open = new LinkedHashMap<>();
  private final Map<Key, Watch> watches = new HashMap<>();
  private final ReferenceQueue<Object> collected = new ReferenceQueue<>();

  /** The latest addresses of plain memory that was freed in stream order, until new memory. */
  private final Set<Long> freedInOrder = new LinkedHashSet<>();

  /** Creates an empty set; the checker knows blocks of pools, and stacks. */
  OpenHandles(Checker checker) {
    this.checker = checker;
  }

  void add(LeakKind kind, int device, long handle, long size) {
    add(new Held(kind, device, handle, "", size, checker.stack(), false));
  }

  void addNamed(LeakKind kind, int device, long handle, String name) {
    add(new Held(kind, device, handle, name, 0, checker.stack(), false));
  }

  private void add(Held what) {
    if (what.kind() == LeakKind.ALLOCATION || what.kind() == LeakKind.POOL_ALLOCATION) {
      freedInOrder.remove(what.handle());
    }
    open.put(new Key(what.kind(), what.handle()), what);
  }

  void watch(LeakKind kind, long handle, Object object) {
    Key key = new Key(kind, handle);
    watches.put(key, new Watch(object, key, collected));
  }

  void remove(LeakKind kind, long handle) {
    Key key = new Key(kind, handle);
    open.remove(key);
    Watch watch = watches.remove(key);
    if (watch != null) {
      watch.clear();
    }
  }

  /** Removes plain memory that is freed in stream order. */
  void removeInOrder(long address) {
    remove(LeakKind.ALLOCATION, address);
    if (freedInOrder.size() >= MOST_FREED_IN_ORDER) {
      freedInOrder.remove(freedInOrder.iterator().next());
    }
    freedInOrder.add(address);
  }

  boolean isFreedInOrder(long address) {
    return freedInOrder.contains(address);
  }

  boolean hasStream(int device, long handle) {
    if (handle == DEFAULT_STREAM) {
      return true;
    }
    Held stream = open.get(new Key(LeakKind.STREAM, handle));
    return stream != null && stream.device() == device;
  }

  /**
   * Returns all open handles in the order of creation, then the blocks of pools. Page-locked memory
   * that is also a block of a pool is listed only as that block.
   *
   * @param lost returns whether a device is lost, and its memory with it
   */
  List<Leak> list(IntPredicate lost) {
    for (Reference<?> gone = collected.poll(); gone != null; gone = collected.poll()) {
      if (gone instanceof Watch watch && watches.remove(watch.key, watch)) {
        open.computeIfPresent(watch.key, (same, what) -> what.asCollected());
      }
    }
    return Stream.concat(
            open.values().stream()
                .filter(each -> lost.test(each.device()) || !isBlock(each))
                .map(Held::toLeak),
            checker.blocks.getLive().stream())
        .filter(leak -> !lost.test(leak.device()) || !leak.kind().isDeviceMemory())
        .toList();
  }

  private boolean isBlock(Held each) {
    boolean hosted =
        each.kind() == LeakKind.PINNED_BUFFER || each.kind() == LeakKind.MANAGED_BUFFER;
    return hosted && checker.blocks.find(each.handle()) != null;
  }
}
