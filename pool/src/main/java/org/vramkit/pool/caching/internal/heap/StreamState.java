package org.vramkit.pool.caching.internal.heap;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.support.StreamProgress;

/**
 * The state of a stream in the heap: its progress, and its unsettled blocks. The caches of the
 * stream extend this class.
 */
public abstract class StreamState {
  public final Stream stream;
  public final StreamProgress progress;

  /**
   * True if the stream's caches have ended. Set before they are emptied for the last time. A thread
   * that frees a block of such a stream into the heap also settles the block.
   */
  public volatile boolean ended;

  // Guarded by the heap's lock.
  final FreeIndex unsettledSmall = new FreeIndex();
  final FreeIndex unsettledLarge = new FreeIndex();

  /**
   * Number of the part of the address range for the stream's blocks, from 1; 0 until one is
   * assigned.
   */
  int addressPart;

  /** The neighbours in {@link Unsettled}. */
  private @Nullable StreamState before;

  private @Nullable StreamState after;

  private boolean isInTurn;

  /**
   * For {@link NeededMemory}: bytes of the chunks that lie wholly in unsettled blocks of this
   * stream.
   */
  long freeableBytes;

  /** For {@link NeededMemory}: true if the stream had passed all its work at the last query. */
  boolean isIdle;

  /** The epoch up to which all blocks of the stream are settled. */
  private long settledEpoch;

  public StreamState(Stream stream, StreamProgress progress) {
    this.stream = stream;
    this.progress = progress;
  }

  public FreeIndex unsettled(boolean small) {
    return small ? unsettledSmall : unsettledLarge;
  }

  /** Notes that a block freed in {@code epoch} is unsettled. Called under the heap's lock. */
  void noteUnsettled(long epoch) {
    settledEpoch = Math.min(settledEpoch, epoch - 1);
  }

  /**
   * Returns whether the stream may have passed unsettled blocks since the last call; the caller
   * then settles them. Called under the heap's lock.
   */
  boolean isAhead() {
    long passed = progress.settled();
    boolean ahead = passed > settledEpoch;
    settledEpoch = Math.max(settledEpoch, passed);
    return ahead;
  }

  /** Returns whether the stream has unsettled blocks. Called under the heap's lock. */
  boolean hasUnsettled() {
    return !unsettledSmall.isEmpty() || !unsettledLarge.isEmpty();
  }

  /**
   * The streams that have unsettled blocks, in the order of their next queries: the stream that was
   * queried longest ago comes first. Linked through the streams, because streams enter and leave
   * with many allocations. Guarded by the heap's lock.
   */
  static final class Unsettled {
    private @Nullable StreamState first;
    private @Nullable StreamState last;
    private int count;

    void entered(StreamState stream) {
      if (!stream.isInTurn) {
        append(stream);
      }
    }

    /** Notes that a block of a stream was removed. */
    void left(StreamState stream) {
      if (!stream.hasUnsettled()) {
        unlink(stream);
      }
    }

    private void append(StreamState stream) {
      stream.isInTurn = true;
      stream.before = last;
      if (last == null) {
        first = stream;
      } else {
        last.after = stream;
      }
      last = stream;
      count++;
    }

    private void unlink(StreamState stream) {
      StreamState before = stream.before;
      StreamState after = stream.after;
      if (before == null) {
        first = after;
      } else {
        before.after = after;
      }
      if (after == null) {
        last = before;
      } else {
        after.before = before;
      }
      stream.before = null;
      stream.after = null;
      stream.isInTurn = false;
      count--;
    }

    int count() {
      return count;
    }

    /** Returns whether a stream other than {@code than} has unsettled blocks. */
    boolean hasOther(StreamState than) {
      return count > (than.isInTurn ? 1 : 0);
    }

    /** Returns at most {@code most} streams to query now, and moves them to the end. */
    List<StreamState> next(int most) {
      List<StreamState> asked = new ArrayList<>(Math.min(most, count));
      for (StreamState each = first; each != null && asked.size() < most; each = each.after) {
        asked.add(each);
      }
      for (StreamState each : asked) {
        unlink(each);
        append(each);
      }
      return asked;
    }
  }
}
