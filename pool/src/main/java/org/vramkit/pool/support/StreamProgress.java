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
 * How far one stream is known to have come, counted in epochs.
 *
 * <p>A free costs no driver call: it only notes the epoch of its stream. To learn something, the
 * allocator ends the epoch and then asks the driver. What was freed in an ended epoch was used by
 * work submitted before the question, so the answer covers it: an idle stream has passed every
 * ended epoch, and a busy one gets an event that will tell later.
 *
 * <p>The epoch is read without a lock by every free; all else is guarded by this object's monitor,
 * under which the driver is called. No hit needs it.
 */
public final class StreamProgress {
  /** Marks in flight; beyond that the newest waits its turn. */
  private static final int MAX_MARKS = 16;

  /**
   * A stream that did not pass a mark in this time is far behind. Some ten extents are taken from
   * the driver in it. With a half of it programs count whose streams drain in a moment; with ten
   * times as much recorded ones whose streams do not are noticed late.
   */
  private static final long FAR_NANOS = 1_000_000;

  /**
   * An event behind all work of an epoch.
   *
   * @param nanos when it was recorded
   */
  private record Mark(long epoch, Event event, long nanos) {}

  private final Stream stream;
  private final EventPool events;
  private final LongSupplier clock;
  private final AtomicLong epoch = new AtomicLong(1);
  private final ArrayDeque<Mark> marks = new ArrayDeque<>();
  private volatile long settled;

  private volatile boolean behind;

  /** Tells whether it had not passed a mark for long when it was last asked. */
  private volatile boolean farBehind;

  private final Predicate<Stream> unasked;
  private boolean closed;

  public StreamProgress(Stream stream, EventPool events, LongSupplier clock) {
    this(stream, events, clock, each -> false);
  }

  /**
   * One of a stream that may not be asked at times.
   *
   * @param clock of nanoseconds
   * @param unasked whether it may not be: nothing is learnt, settled or waited for then
   */
  public StreamProgress(
      Stream stream, EventPool events, LongSupplier clock, Predicate<Stream> unasked) {
    this.stream = stream;
    this.events = events;
    this.clock = clock;
    this.unasked = unasked;
  }

  /** The epoch that a free at this moment belongs to. */
  public long epoch() {
    return epoch.getAcquire();
  }

  /** Everything freed up to this epoch is used by no work any more. */
  public long settled() {
    return settled;
  }

  /** The stream whose progress this is. */
  public Stream stream() {
    return stream;
  }

  /** This moment of the stream: work that is submitted later is not before it. */
  public StreamPoint now() {
    return new StreamPoint(this, epoch());
  }

  /** Tells whether the stream may not be asked now. */
  public boolean isUnasked() {
    return unasked.test(stream);
  }

  /** Tells whether the stream may be asked, and had passed all marks when it last was. */
  public boolean isCaughtUp() {
    return !behind && !unasked.test(stream);
  }

  /** Tells whether the stream had not passed all marks when it was last asked. */
  public boolean isBehind() {
    return behind;
  }

  /**
   * Tells whether it had then not passed a mark for so long that it may take long to pass the
   * others.
   */
  public boolean isFarBehind() {
    return farBehind;
  }

  /**
   * Asks the driver how far the stream has come. Blocks only if the stream is closed, perhaps just
   * now by another thread: it answers nothing then, yet its work goes on, and only the whole device
   * can tell.
   */
  public synchronized void advance() {
    if (unasked.test(stream)) {
      return;
    }
    long ended = epoch.getAndIncrement();
    MemoryObserver observer = stream.getDevice().getMemoryObserver();
    observer.enterPool();
    try {
      Streams.requireOpen(stream);
      if (stream.isIdle()) {
        settleUpTo(ended);
        return;
      }
      askAgain();
      if (marks.size() < MAX_MARKS && !closed) {
        mark(ended);
      }
      behind = true;
    } catch (CaptureException e) {
      // Its capture began after the first question: as little is learnt as if it had before.
      behind = !marks.isEmpty();
    } catch (ClosedException e) {
      // Asked again: the wait would spoil a capture that was no reason while the stream was open.
      if (!unasked.test(stream)) {
        Waits.awaitAll(stream.getDevice());
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
      events.give(event);
      throw e;
    }
  }

  /** Asks only whether earlier marks are reached; records nothing. */
  public synchronized void askAgain() {
    if (unasked.test(stream)) {
      return;
    }
    try {
      while (!marks.isEmpty() && isPassed(marks.getFirst())) {
        settled = Math.max(settled, marks.getFirst().epoch());
        events.give(marks.removeFirst().event());
      }
    } catch (CaptureException e) {
      // It was recorded just as a capture began, and tells nothing; a later mark will.
      events.give(marks.removeFirst().event());
    }
    noteBehind();
  }

  /** Asks for earlier marks where there are some, else how far the stream has come. */
  public void askAgainOrAdvance() {
    if (behind) {
      askAgain();
    } else {
      advance();
    }
  }

  /**
   * Asks the driver as much as it takes to learn whether an epoch has passed: earlier marks first,
   * and how far the stream has come only where these leave it open.
   *
   * @param soon whether the epoch gets a mark of its own where it has none, so that the stream is
   *     known to have passed it as soon as it has; else it waits until earlier marks have passed
   */
  public synchronized void askFor(long wanted, boolean soon) {
    askAgain();
    if (settled < wanted && (!behind || (soon && marks.getLast().epoch() < wanted))) {
      advance();
    }
  }

  /**
   * Marks the present epoch unless an earlier mark is in flight. So the first use that waits for a
   * stream is settled no later than it has to be, and the others cost nothing. Does not block, and
   * leaves it to a later question where the driver refuses.
   *
   * @throws FatalDeviceException if the device is lost
   */
  public void markUnlessBehind() {
    // Asked first: another thread may wait for the device of a closed stream.
    if (!behind && !stream.isClosed() && !unasked.test(stream)) {
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
      // The next question marks it, a little later than need be.
    }
  }

  /**
   * Makes another stream wait for an epoch of this one. Costs nothing if it has passed as far as is
   * known, and a wait on the host if this stream is closed: its work goes on, and only the whole
   * device can tell when it is done.
   *
   * @throws CaptureException if this stream can be neither marked nor waited for, because of a
   *     capture
   */
  public void orderBefore(Stream next, long wanted) {
    if (settled >= wanted) {
      return;
    }
    if (unasked.test(stream) || !isWaitIssued(next, wanted)) {
      new StreamPoint(this, wanted).awaitNow();
    }
  }

  /** False if the stream is closed, so that it takes no mark. */
  private synchronized boolean isWaitIssued(Stream next, long wanted) {
    MemoryObserver observer = next.getDevice().getMemoryObserver();
    observer.enterPool();
    try {
      for (Mark each : marks) {
        if (each.epoch() >= wanted) {
          next.waitFor(each.event());
          return true;
        }
      }
      if (stream.isClosed()) {
        return false;
      }
      Event now = events.mark(stream);
      try {
        next.waitFor(now);
      } finally {
        events.give(now);
      }
      return true;
    } catch (ClosedException e) {
      if (!stream.isClosed()) {
        throw e;
      }
      return false;
    } finally {
      observer.leavePool();
    }
  }

  /** Waits on the host until the stream has passed an epoch. Others may ask meanwhile. */
  public void awaitEpoch(long wanted) {
    if (!awaitsMark(wanted)) {
      await();
    }
  }

  /** Does the same; of a closed stream without a mark behind the epoch it learns nothing. */
  public void awaitEpochIfOpen(long wanted) {
    if (!awaitsMark(wanted)) {
      awaitIfOpen();
    }
  }

  /** Waits for the first mark behind an epoch, where it takes a wait; false if there is no mark. */
  private boolean awaitsMark(long wanted) {
    if (settled >= wanted || unasked.test(stream)) {
      return true;
    }
    Mark mark = markOf(wanted);
    if (mark == null) {
      return false;
    }
    // One that is recorded again meanwhile is waited for longer than need be, never less.
    Waits.await(mark.event(), stream.getDevice());
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
    return Waits.isOver(mark.event(), stream.getDevice());
  }

  /** Waits for the stream on the host. Others may ask meanwhile. */
  void await() {
    long ended = epoch.getAndIncrement();
    if (!Waits.awaitIfOpen(stream)) {
      // Asked again: it was perhaps closed since the first question, beside a capture.
      if (unasked.test(stream)) {
        return;
      }
      Waits.awaitAll(stream.getDevice());
    }
    settleUpTo(ended);
  }

  /**
   * Waits for the stream on the host unless it is closed: the wait for its whole device would spoil
   * a capture that begins meanwhile. Where none can begin, {@link #advanceIfClosed} makes up for
   * it.
   */
  public void awaitIfOpen() {
    if (unasked.test(stream)) {
      return;
    }
    long ended = epoch.getAndIncrement();
    if (Waits.awaitIfOpen(stream)) {
      settleUpTo(ended);
    }
  }

  /** Waits for the work of a closed stream, unless captures are under way. */
  public void advanceIfClosed() {
    if (stream.isClosed()) {
      advance();
    }
  }

  /**
   * Gives the events of marks back, because nothing is left that they could settle. A thread that
   * had seen something before may still ask, and no longer marks.
   */
  public synchronized void close() {
    closed = true;
    giveMarksBack(Long.MAX_VALUE);
  }

  private synchronized void settleUpTo(long ended) {
    settled = Math.max(settled, ended);
    giveMarksBack(ended);
  }

  /** Those up to an epoch. */
  private void giveMarksBack(long upTo) {
    while (!marks.isEmpty() && marks.getFirst().epoch() <= upTo) {
      events.give(marks.removeFirst().event());
    }
    noteBehind();
  }
}
