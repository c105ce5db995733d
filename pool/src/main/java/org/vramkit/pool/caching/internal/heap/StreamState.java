package org.vramkit.pool.caching.internal.heap;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
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

  /** Whole pages or segments among its unsettled ranges, and whether it was idle when asked. */
  private long freeableBytes;

  private boolean isIdle;

  /** The epoch up to which all of its blocks are settled. Guarded by the heap's lock. */
  private long settledEpoch;

  public StreamState(Stream stream, StreamProgress progress) {
    this.stream = stream;
    this.progress = progress;
  }

  public FreeIndex unsettled(boolean small) {
    return small ? unsettledSmall : unsettledLarge;
  }

  /** Notes that a block is unsettled which was freed in an epoch. Locked. */
  void noteUnsettled(long epoch) {
    settledEpoch = Math.min(settledEpoch, epoch - 1);
  }

  /**
   * Returns whether the stream may have passed unsettled blocks since the last call, which the
   * caller settles now. Locked.
   */
  boolean isAhead() {
    long passed = progress.settled();
    boolean ahead = passed > settledEpoch;
    settledEpoch = Math.max(settledEpoch, passed);
    return ahead;
  }

  /** Locked. */
  boolean hasUnsettled() {
    return !unsettledSmall.isEmpty() || !unsettledLarge.isEmpty();
  }

  /**
   * The streams that have unsettled ranges, in the order in which they are to be asked: first the
   * one that was not asked for longest. Guarded by the heap's lock.
   */
  static final class Unsettled {
    private final Set<StreamState> inTurn = new LinkedHashSet<>();
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
      inTurn.add(stream);
      change(stream, freeableBytes);
    }

    /** Removes such bytes. */
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

    /** Counts the bytes of a stream by its last query. */
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

    /** Returns whether another stream than one is here. */
    boolean hasOther(StreamState than) {
      return inTurn.size() > (inTurn.contains(than) ? 1 : 0);
    }

    /** Returns the streams to ask now, at most {@code most}; they become the last in turn. */
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
