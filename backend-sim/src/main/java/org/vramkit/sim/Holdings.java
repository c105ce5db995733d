package org.vramkit.sim;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.vramkit.sim.check.Checker;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.hazard.LeakKind;

/**
 * What users hold of the driver, until they give it back: leaks, if they never do. Guarded by the
 * backend's lock.
 */
final class Holdings {
  /** The handle of the default stream of every device. */
  static final long DEFAULT_STREAM = 0;

  private record Key(LeakKind kind, long handle) {}

  /** A leak, if it stays; its frames are not made before. */
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

  private final Checker checker;
  private final Map<Key, Held> held = new LinkedHashMap<>();
  private final CollectedHandles<Key> watched = new CollectedHandles<>();

  /** None as yet; blocks of pools are known to the checker, and so are stacks. */
  Holdings(Checker checker) {
    this.checker = checker;
  }

  void hold(LeakKind kind, int device, long handle, long size) {
    hold(new Held(kind, device, handle, "", size, checker.stack(), false));
  }

  void holdStream(int device, long handle, String name) {
    hold(new Held(LeakKind.STREAM, device, handle, name, 0, checker.stack(), false));
  }

  private void hold(Held what) {
    held.put(new Key(what.kind(), what.handle()), what);
  }

  /** Notices when the object of what is held is garbage-collected. */
  void watch(LeakKind kind, long handle, Object object) {
    watched.watch(object, new Key(kind, handle));
  }

  void letGo(LeakKind kind, long handle) {
    Key key = new Key(kind, handle);
    held.remove(key);
    watched.forget(key);
  }

  boolean hasStream(int device, long handle) {
    if (handle == DEFAULT_STREAM) {
      return true;
    }
    Held stream = held.get(new Key(LeakKind.STREAM, handle));
    return stream != null && stream.device() == device;
  }

  /**
   * All that is held, in the order in which it was taken, then the blocks of pools.
   *
   * @param lost whether the devices are: device memory went with them, and that nobody can free it
   *     now is no second fault
   */
  List<Leak> list(boolean lost) {
    watched.forEachNew(key -> held.computeIfPresent(key, (same, what) -> what.asCollected()));
    return Stream.concat(
            held.values().stream().map(Held::toLeak), checker.blocks.getLive().stream())
        .filter(leak -> !lost || !leak.kind().isDeviceMemory())
        .toList();
  }
}
