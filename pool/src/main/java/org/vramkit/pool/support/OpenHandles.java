package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.vramkit.pool.support.OpenAllocations.Open;

/** The handles of an allocator that are open and hold memory: to name them in errors. */
final class OpenHandles {
  private final Chain<Handle> handles = new Chain<>();

  /** The handle that is open from now on. */
  synchronized Handle add(Handle handle) {
    handles.add(handle);
    return handle;
  }

  /** It is closed. */
  synchronized void remove(Handle handle) {
    handles.remove(handle);
  }

  /** All of them, in the order of allocation. */
  synchronized List<Open> all() {
    List<Open> open = new ArrayList<>();
    for (Handle each = handles.newest(); each != null; each = each.older()) {
      open.add(each.describe());
    }
    Collections.reverse(open);
    return open;
  }
}
