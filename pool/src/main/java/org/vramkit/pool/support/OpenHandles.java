package org.vramkit.pool.support;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.pool.support.OpenAllocations.Open;

/** The handles of an allocator that are open, linked to each other: to name them in errors. */
final class OpenHandles {
  private @Nullable Handle latest;

  /** The handle that is open from now on. */
  synchronized Handle add(Handle handle) {
    Handle before = latest;
    handle.before = before;
    if (before != null) {
      before.after = handle;
    }
    latest = handle;
    return handle;
  }

  /** It is closed. */
  synchronized void remove(Handle handle) {
    Handle before = handle.before;
    Handle after = handle.after;
    if (before != null) {
      before.after = after;
    }
    if (after != null) {
      after.before = before;
    } else {
      latest = before;
    }
    handle.before = null;
    handle.after = null;
  }

  /** All of them that hold memory, in the order of allocation. */
  synchronized List<Open> all() {
    List<Open> open = new ArrayList<>();
    for (Handle each = latest; each != null; each = each.before) {
      if (each.getSize() > 0) {
        open.add(each.describe());
      }
    }
    Collections.reverse(open);
    return open;
  }
}
