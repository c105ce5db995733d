package org.vramkit.sim;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Notices handles whose objects were garbage-collected: nobody can close them any more. Guarded by
 * the backend's lock.
 *
 * @param <K> what a handle is known by
 */
final class CollectedHandles<K> {
  private static final class Watch<K> extends PhantomReference<Object> {
    final K key;

    Watch(Object handle, K key, ReferenceQueue<Object> queue) {
      super(handle, queue);
      this.key = key;
    }
  }

  private final ReferenceQueue<Object> queue = new ReferenceQueue<>();
  private final Map<K, Watch<K>> watches = new HashMap<>();

  /** Watches the object of a handle. */
  void watch(Object handle, K key) {
    watches.put(key, new Watch<>(handle, key, queue));
  }

  /** The handle was closed. */
  void forget(K key) {
    Watch<K> watch = watches.remove(key);
    if (watch != null) {
      watch.clear();
    }
  }

  /** Tells of each handle whose object is gone and that was not closed, once. */
  void forEachNew(Consumer<K> action) {
    for (Reference<?> gone = queue.poll(); gone != null; gone = queue.poll()) {
      if (gone instanceof Watch<?> watch) {
        @SuppressWarnings("unchecked") // The queue has no other references than ours.
        Watch<K> own = (Watch<K>) watch;
        if (watches.remove(own.key, own)) {
          action.accept(own.key);
        }
      }
    }
  }
}
