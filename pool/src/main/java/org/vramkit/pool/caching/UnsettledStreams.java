package org.vramkit.pool.caching;

import org.jspecify.annotations.Nullable;

/**
 * The streams that have unsettled ranges, in the order in which they are to be asked: first the one
 * that was not asked for longest. Linked through the heaps themselves, because a free must not need
 * memory of the JVM. Guarded by the device heap's lock.
 */
final class UnsettledStreams {
  private @Nullable StreamHeap first;
  private @Nullable StreamHeap last;
  private int count;

  int count() {
    return count;
  }

  /** Adds a stream at the end, unless it is here. */
  void add(StreamHeap stream) {
    if (stream.isQueued) {
      return;
    }
    stream.isQueued = true;
    stream.askedBefore = last;
    if (last == null) {
      first = stream;
    } else {
      last.askedNext = stream;
    }
    last = stream;
    count++;
  }

  /** Takes a stream out, if it is here. */
  void remove(StreamHeap stream) {
    if (!stream.isQueued) {
      return;
    }
    StreamHeap before = stream.askedBefore;
    StreamHeap next = stream.askedNext;
    if (before == null) {
      first = next;
    } else {
      before.askedNext = next;
    }
    if (next == null) {
      last = before;
    } else {
      next.askedBefore = before;
    }
    stream.askedBefore = null;
    stream.askedNext = null;
    stream.isQueued = false;
    count--;
  }

  /** Whether another stream than one is here. */
  boolean hasOther(StreamHeap than) {
    return count > (than.isQueued ? 1 : 0);
  }

  /** The one to be asked now, which goes to the end; null if there is none. */
  @Nullable StreamHeap next() {
    StreamHeap oldest = first;
    if (oldest != null) {
      remove(oldest);
      add(oldest);
    }
    return oldest;
  }
}
