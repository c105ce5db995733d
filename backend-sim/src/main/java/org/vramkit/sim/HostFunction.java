package org.vramkit.sim;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.FunctionPoint;
import org.vramkit.sim.timeline.Point;

/** A host function in a stream, and its state. */
final class HostFunction {
  private enum State {
    QUEUED,
    RUNNING,
    /** Running, without a thread that waits for it. */
    DETACHED,
    OVER
  }

  private final String words;
  private final Runnable body;
  final FunctionPoint point;
  private final AtomicReference<State> state = new AtomicReference<>(State.QUEUED);
  private volatile @Nullable Thread thread;
  @Nullable Throwable thrown;

  /** Called when the body has returned, before anyone learns of it. */
  Runnable atReturn = () -> {};

  /** The thread whose pool's wait let it begin; null if the program waited for it. */
  @Nullable Thread poolWaiter;

  /** The point that the function holds until it returns. */
  Point returned;

  /** Creates a function that its stream has not reached. */
  HostFunction(String words, Runnable body, FunctionPoint point, Point start) {
    this.words = words;
    this.body = body;
    this.point = point;
    this.returned = start;
  }

  /** Returns whether the stream has reached the function. */
  boolean hasBegun() {
    return state.get() != State.QUEUED;
  }

  void begin() {
    state.set(State.RUNNING);
  }

  /** Runs the body; returns false if the function was detached meanwhile. */
  boolean run() {
    thread = Thread.currentThread();
    try {
      body.run();
    } catch (Throwable e) { // Kotlin's functions throw what they like
      thrown = e;
    } finally {
      thread = null;
      atReturn.run();
    }
    return state.compareAndSet(State.RUNNING, State.OVER);
  }

  boolean isOver() {
    return state.get() == State.OVER;
  }

  /**
   * Detaches the function from the waiting thread, unless it is over; returns whether it was
   * detached.
   */
  boolean detach() {
    return state.compareAndSet(State.RUNNING, State.DETACHED);
  }

  /** Describes the function and, while it runs, what it waits for. */
  String waitingWords() {
    Thread runner = thread;
    if (runner == null) {
      return words;
    }
    String waiting = Waiting.words(runner);
    return words + (waiting.isEmpty() ? ", which has not returned" : waiting);
  }

  @Override
  public String toString() {
    return words;
  }
}
