package org.vramkit.pool.caching.internal.heap;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
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

  /** Bytes of the chunks that lie wholly in unsettled blocks of this stream. */
  private long freeableBytes;

  /** True if the stream had passed all its work at the last query. */
  private boolean isIdle;

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
   * queried longest ago comes first. Guarded by the heap's lock.
   */
  static final class Unsettled {
    private final Set<StreamState> inTurn = new LinkedHashSet<>();
    private long idleBytes;

    /**
     * Returns the bytes that could return to the driver after a query of the streams that were idle
     * at their last query.
     */
    long idleBytes() {
      return idleBytes;
    }

    /**
     * Adds a block of a stream; {@code freeableBytes} of it could return once the stream has
     * passed.
     */
    void entered(StreamState stream, long freeableBytes) {
      inTurn.add(stream);
      change(stream, freeableBytes);
    }

    /** Removes a block of a stream. */
    void left(StreamState stream, long freeableBytes) {
      change(stream, -freeableBytes);
      if (!stream.hasUnsettled()) {
        inTurn.remove(stream);
      }
    }

    private void change(StreamState stream, long freeableBytes) {
      noteAsked(stream);
      stream.freeableBytes += freeableBytes;
      idleBytes += stream.isIdle ? freeableBytes : 0;
    }

    /** Updates {@link #idleBytes}: the stream's bytes count if its last query found it idle. */
    void noteAsked(StreamState stream) {
      boolean idle = !stream.progress.isBehind();
      if (idle != stream.isIdle) {
        stream.isIdle = idle;
        idleBytes += idle ? stream.freeableBytes : -stream.freeableBytes;
      }
    }

    int count() {
      return inTurn.size();
    }

    /** Returns whether a stream other than {@code than} has unsettled blocks. */
    boolean hasOther(StreamState than) {
      return inTurn.size() > (inTurn.contains(than) ? 1 : 0);
    }

    /** Returns at most {@code most} streams to query now, and moves them to the end. */
    List<StreamState> next(int most) {
      List<StreamState> asked = inTurn.stream().limit(most).toList();
      for (StreamState each : asked) {
        inTurn.remove(each);
        inTurn.add(each);
      }
      return asked;
    }
  }
}
