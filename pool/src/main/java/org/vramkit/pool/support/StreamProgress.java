package org.vramkit.pool.support;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;

/**
 * Tracks the progress of a stream, counted in epochs.
 *
 * <p>A free costs no driver call: it records the epoch of its stream. To query the stream, the
 * allocator ends the epoch and queries the driver. Memory freed in an ended epoch was used only by
 * work submitted before the query, so the answer covers it. An idle stream has passed every ended
 * epoch. For a busy stream, an event is recorded, which is the mark of the epoch.
 *
 * <p>Every free reads the epoch without a lock. The monitor guards all other state, and the driver
 * is called under it. A hit never takes the monitor.
 */
public final class StreamProgress {
  private static final int MAX_MARKS = 16;

  /**
   * A stream that has not passed a mark for this time is far behind. The limit is about the time in
   * which the driver creates ten chunks. Half of it would include streams that are about to drain;
   * ten times as much would detect the others late.
   */
  private static final long FAR_NANOS = 1_000_000;

  /** An event after the work of an epoch, and the time of its recording. */
  private record Mark(long epoch, Event event, long nanos) {}

  private final Stream stream;
  private final EventPool events;
  private final LongSupplier clock;
  private final AtomicLong epoch = new AtomicLong(1);
  private final ArrayDeque<Mark> marks = new ArrayDeque<>();
  private volatile long settled;

  private volatile boolean behind;

  /** True if the stream was far behind at the last query. */
  private volatile boolean farBehind;

  private final Predicate<Stream> unqueryable;
  private boolean closed;

  /**
   * Tracks a stream.
   *
   * @param unqueryable whether the stream must not be queried, marked or waited for now
   */
  public StreamProgress(
      Stream stream, EventPool events, LongSupplier clock, Predicate<Stream> unqueryable) {
    this.stream = stream;
    this.events = events;
    this.clock = clock;
    this.unqueryable = unqueryable;
  }

  public long epoch() {
    return epoch.getAcquire();
  }

  /**
   * Returns the newest epoch that the stream is known to have passed: no work uses memory freed in
   * it or before.
   */
  public long settled() {
    return settled;
  }

  public Stream stream() {
    return stream;
  }

  /** Returns the current point of the stream, the end of all work submitted so far. */
  public StreamPoint now() {
    return new StreamPoint(this, epoch());
  }

  /** Returns whether the stream must not be queried now. */
  public boolean isUnqueryable() {
    return unqueryable.test(stream);
  }

  /** Returns whether the stream may be queried, and had passed all marks at the last query. */
  public boolean isCaughtUp() {
    return !behind && !unqueryable.test(stream);
  }

  /** Returns whether the stream had not passed all marks at the last query. */
  public boolean isBehind() {
    return behind;
  }

  /** Returns whether the stream was far behind at the last query, and may stay behind for long. */
  public boolean isFarBehind() {
    return farBehind;
  }

  /**
   * Ends the epoch and queries the driver. Blocks only if the stream is closed, possibly just now
   * by another thread. A closed stream cannot be queried while its work goes on, so this waits for
   * the whole device.
   */
  public synchronized void advance() {
    if (unqueryable.test(stream)) {
      return;
    }
    long ended = epoch.getAndIncrement();
    MemoryObserver observer = stream.getDevice().getMemoryObserver();
    observer.enterPool();
    try {
      Streams.requireOpen(stream);
      if (PoolDriverCalls.isIdle(stream)) {
        settleUpTo(ended);
        return;
      }
      queryMarks();
      if (marks.size() < MAX_MARKS && !closed) {
        mark(ended);
      }
      behind = true;
    } catch (CaptureException e) {
      // The capture began after the check above.
      behind = !marks.isEmpty();
    } catch (ClosedException e) {
      // Checked again: the wait would invalidate a capture, which did not matter while the stream
      // was open.
      if (!unqueryable.test(stream)) {
        PoolDriverCalls.awaitAll(stream.getDevice());
        settleUpTo(ended);
      }
    } finally {
      observer.leavePool();
    }
  }

  private void mark(long ended) {
    long now = clock.getAsLong();
    Event event = events.mark(stream);
    try {
      marks.addLast(new Mark(ended, event, now));
    } catch (Error e) {
      events.release(event);
      throw e;
    }
  }

  /** Queries the recorded marks. Records no mark. */
  public synchronized void queryMarks() {
    if (unqueryable.test(stream)) {
      return;
    }
    try {
      while (!marks.isEmpty() && isPassed(marks.getFirst())) {
        settled = Math.max(settled, marks.getFirst().epoch());
        events.release(marks.removeFirst().event());
      }
    } catch (CaptureException e) {
      // The mark was recorded just as a capture began, and cannot be queried.
      events.release(marks.removeFirst().event());
    }
    noteBehind();
  }

  /** Queries the marks if there are any, else the stream. */
  public void queryMarksOrAdvance() {
    if (behind) {
      queryMarks();
    } else {
      advance();
    }
  }

  /**
   * Queries whether an epoch has passed: first by the marks, and by the stream only if no mark
   * covers the epoch.
   *
   * @param soon whether to mark the epoch at once if no mark covers it, rather than after earlier
   *     marks have passed
   */
  public synchronized void queryEpoch(long wanted, boolean soon) {
    queryMarks();
    if (settled < wanted && (!behind || (soon && marks.getLast().epoch() < wanted))) {
      advance();
    }
  }

  /**
   * Marks the current epoch unless a mark is in flight, so that the first free of a stream is
   * settled as soon as possible and later frees cost nothing. Does not block. If the driver
   * refuses, a later query marks the epoch.
   *
   * @throws FatalDeviceException if the device is lost
   */
  public void markUnlessBehind() {
    // Checked without the monitor, under which another thread may be waiting for the device.
    if (!behind && !stream.isClosed() && !unqueryable.test(stream)) {
      markIfFirst();
    }
  }

  private synchronized void markIfFirst() {
    if (!marks.isEmpty() || closed) {
      return;
    }
    try {
      mark(epoch.getAndIncrement());
      behind = true;
    } catch (FatalDeviceException e) {
      throw e;
    } catch (GpuException | ClosedException unmarked) {
      // The next query marks it.
    }
  }

  /**
   * Makes another stream wait for an epoch of this one. Costs nothing if the epoch is known to have
   * passed. If this stream is closed and has no mark, waits on the host for the whole device,
   * because its work goes on.
   *
   * @throws CaptureException if a capture forbids marking this stream and waiting for it
   */
  public void orderBefore(Stream next, long wanted) {
    if (settled >= wanted) {
      return;
    }
    if (unqueryable.test(stream) || !isWaitIssued(next, wanted)) {
      new StreamPoint(this, wanted).awaitNow();
    }
  }

  /**
   * Makes the other stream wait; returns false if this stream is closed, so that no event can be
   * recorded.
   */
  private synchronized boolean isWaitIssued(Stream next, long wanted) {
    try {
      return PoolDriverCalls.get(
          next.getDevice().getMemoryObserver(), () -> issueWait(next, wanted));
    } catch (ClosedException e) {
      if (!stream.isClosed()) {
        throw e;
      }
      return false;
    }
  }

  private boolean issueWait(Stream next, long wanted) {
    Mark mark = markOf(wanted);
    if (mark != null) {
      next.waitFor(mark.event());
      return true;
    }
    if (stream.isClosed()) {
      return false;
    }
    Event now = events.mark(stream);
    try {
      next.waitFor(now);
      return true;
    } finally {
      events.release(now);
    }
  }

  /**
   * Waits on the host until the stream has passed an epoch. Other threads may query the stream
   * meanwhile. Returns at once if a capture forbids to wait for the stream.
   *
   * @param evenIfClosed whether to wait for the whole device if the stream is closed and no mark
   *     covers the epoch; otherwise this returns at once
   */
  public void awaitEpoch(long wanted, boolean evenIfClosed) {
    if (!awaitsMark(wanted)) {
      await(evenIfClosed);
    }
  }

  /**
   * Waits for the first mark that covers an epoch. Returns true at once if the epoch has passed or
   * the stream must not be waited for; false if no mark covers the epoch.
   */
  private boolean awaitsMark(long wanted) {
    if (settled >= wanted || unqueryable.test(stream)) {
      return true;
    }
    Mark mark = markOf(wanted);
    if (mark == null) {
      return false;
    }
    // If the event is recorded again meanwhile, the wait is longer than needed, never shorter.
    PoolDriverCalls.await(mark.event(), stream.getDevice());
    settleUpTo(mark.epoch());
    return true;
  }

  private synchronized @Nullable Mark markOf(long wanted) {
    return marks.stream().filter(each -> each.epoch() >= wanted).findFirst().orElse(null);
  }

  private void noteBehind() {
    behind = !marks.isEmpty();
    farBehind = behind && clock.getAsLong() - marks.getFirst().nanos() > FAR_NANOS;
  }

  private boolean isPassed(Mark mark) {
    return PoolDriverCalls.isOver(mark.event(), stream.getDevice());
  }

  /**
   * Waits for the stream on the host unless it is closed, because a wait for the whole device would
   * invalidate a capture that begins meanwhile. {@link #advanceIfClosed} waits for the device, when
   * no capture can begin.
   */
  public void awaitIfOpen() {
    if (!unqueryable.test(stream)) {
      await(/* evenIfClosed= */ false);
    }
  }

  /** Waits for the stream on the host. Other threads may query meanwhile. */
  void await(boolean evenIfClosed) {
    long ended = epoch.getAndIncrement();
    boolean awaited = PoolDriverCalls.awaitIfOpen(stream);
    // Checked again: the stream may have been closed since the first check, beside a capture.
    if (!awaited && evenIfClosed && !unqueryable.test(stream)) {
      PoolDriverCalls.awaitAll(stream.getDevice());
      awaited = true;
    }
    if (awaited) {
      settleUpTo(ended);
    }
  }

  /** Waits for the work of a closed stream, unless a capture is in progress. */
  public void advanceIfClosed() {
    if (stream.isClosed()) {
      advance();
    }
  }

  /**
   * Releases the events of the marks, because no memory waits for the stream. A thread may still
   * query the stream, but records no marks.
   */
  public synchronized void close() {
    closed = true;
    releaseMarks(Long.MAX_VALUE);
  }

  private synchronized void settleUpTo(long ended) {
    settled = Math.max(settled, ended);
    releaseMarks(ended);
  }

  private void releaseMarks(long upTo) {
    while (!marks.isEmpty() && marks.getFirst().epoch() <= upTo) {
      events.release(marks.removeFirst().event());
    }
    noteBehind();
  }
}
