package org.vramkit.pool.support;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.vramkit.pool.support.OpenAllocations.Open;

/** The handles of an allocator that are open and hold memory: to name them in errors. */
final class OpenHandles {
  private final Set<Handle> handles = new LinkedHashSet<>();

  /** Adds a handle that is open from now on. */
  synchronized Handle add(Handle handle) {
    handles.add(handle);
    return handle;
  }

  /** Removes a handle that is closed. */
  synchronized void remove(Handle handle) {
    handles.remove(handle);
  }

  /** All that users hold, in the order of allocation. */
  synchronized List<Open> all() {
    return handles.stream().filter(each -> each.held).map(Handle::describe).toList();
  }
}
