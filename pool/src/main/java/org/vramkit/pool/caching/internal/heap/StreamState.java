package org.vramkit.pool.caching.internal.heap;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.support.StreamProgress;

/**
 * The state of a stream in the heap: its progress, and the free ranges that its own work may still
 * use. The caches of the stream extend it.
 */
public abstract class StreamState {
  public final Stream stream;
  public final StreamProgress progress;

  /**
   * Returns whether its caches have ended: blocks carried between the tiers go to the heap then,
   * and settle there. Set before the caches are emptied for the last time, read by threads that
   * carry blocks.
   */
  public volatile boolean ended;

  // Guarded by the heap's lock.
  final FreeIndex unsettledSmall = new FreeIndex();
  final FreeIndex unsettledLarge = new FreeIndex();

  /**
   * The part of the addresses in which it gathers its blocks while it is far behind; 0 for none.
   */
  int addressPart;

  // Its place among those that have unsettled ranges.
  private boolean isQueued;
  private @Nullable StreamState askedBefore;
  private @Nullable StreamState askedNext;

  /** Whole pages or segments among its unsettled ranges, and whether it was idle when asked. */
  private long freeableBytes;

  private boolean isIdle;

  public StreamState(Stream stream, StreamProgress progress) {
    this.stream = stream;
    this.progress = progress;
  }

  public FreeIndex unsettled(boolean small) {
    return small ? unsettledSmall : unsettledLarge;
  }

  /** Locked. */
  boolean hasUnsettled() {
    return !unsettledSmall.isEmpty() || !unsettledLarge.isEmpty();
  }

  /**
   * The streams that have unsettled ranges, in the order in which they are to be asked: first the
   * one that was not asked for longest. Linked through themselves, because a free must not need
   * memory of the JVM. Guarded by the device heap's lock.
   */
  static final class Unsettled {
    private @Nullable StreamState first;
    private @Nullable StreamState last;
    private int count;
    private long idleBytes;

    /**
     * Returns the bytes that could return to the driver if streams were queried that were idle at
     * the last query.
     */
    long idleBytes() {
      return idleBytes;
    }

    /** Adds bytes of a stream that could return once it has passed. */
    void entered(StreamState stream, long freeableBytes) {
      noteAsked(stream);
      stream.freeableBytes += freeableBytes;
      idleBytes += stream.isIdle ? freeableBytes : 0;
      add(stream);
    }

    /** Removes such bytes. */
    void left(StreamState stream, long freeableBytes) {
      entered(stream, -freeableBytes);
      if (!stream.hasUnsettled()) {
        remove(stream);
      }
    }

    /** Counts the bytes of a stream by its last query. */
    void noteAsked(StreamState stream) {
      boolean idle = !stream.progress.isBehind();
      if (idle != stream.isIdle) {
        stream.isIdle = idle;
        idleBytes += idle ? stream.freeableBytes : -stream.freeableBytes;
      }
    }

    int count() {
      return count;
    }

    /** Adds a stream at the end, unless it is here. */
    private void add(StreamState stream) {
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
    private void remove(StreamState stream) {
      if (!stream.isQueued) {
        return;
      }
      StreamState before = stream.askedBefore;
      StreamState next = stream.askedNext;
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

    /** Returns whether another stream than one is here. */
    boolean hasOther(StreamState than) {
      return count > (than.isQueued ? 1 : 0);
    }

    /** The one to be asked now, which goes to the end; null if there is none. */
    @Nullable StreamState next() {
      StreamState oldest = first;
      if (oldest != null) {
        remove(oldest);
        add(oldest);
      }
      return oldest;
    }
  }
}
