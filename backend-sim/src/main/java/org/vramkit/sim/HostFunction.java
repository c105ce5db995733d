package org.vramkit.sim;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.FunctionPoint;
import org.vramkit.sim.timeline.Point;

/** A function of the host that a stream calls, and how far it is. */
final class HostFunction {
  private enum State {
    QUEUED,
    RUNNING,
    /** It runs, and nobody stands still for it any more. */
    DETACHED,
    OVER
  }

  private final String words;
  private final Runnable body;
  final FunctionPoint point;
  private final AtomicReference<State> state = new AtomicReference<>(State.QUEUED);
  private volatile @Nullable Thread thread;
  @Nullable Throwable thrown;

  /** The thread in whose pool's wait it has begun; null if the program waited for it. */
  @Nullable Thread poolWaiter;

  /** The point that it holds until it has returned. */
  Point returned;

  /** Its stream has not come to it. */
  HostFunction(String words, Runnable body, FunctionPoint point, Point start) {
    this.words = words;
    this.body = body;
    this.point = point;
    this.returned = start;
  }

  /** Returns whether its stream has come to it. */
  boolean hasBegun() {
    return state.get() != State.QUEUED;
  }

  void begin() {
    state.set(State.RUNNING);
  }

  boolean run() {
    thread = Thread.currentThread();
    try {
      body.run();
    } catch (Throwable e) { // Kotlin's functions throw what they like
      thrown = e;
    } finally {
      thread = null;
    }
    return state.compareAndSet(State.RUNNING, State.OVER);
  }

  boolean isOver() {
    return state.get() == State.OVER;
  }

  /** Nobody stands still for it any more, unless it is over. */
  boolean detach() {
    return state.compareAndSet(State.RUNNING, State.DETACHED);
  }

  /** Returns whether it waits for something that only others can do. */
  boolean isBlocked() {
    Thread runner = thread;
    if (runner == null) {
      return false;
    }
    Thread.State now = runner.getState();
    return now == Thread.State.WAITING || now == Thread.State.BLOCKED;
  }

  /** Says what it is, and what it waits for while it runs. */
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
