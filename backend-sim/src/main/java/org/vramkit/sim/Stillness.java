package org.vramkit.sim;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.SimulatorThread;
import org.vramkit.sim.recording.CallRecorder;

/**
 * Ends the standstill of a program with queued host functions.
 *
 * <p>The simulator sees the waits of a program that are calls to it, and lets functions begin that
 * these waits need. It does not see a wait such as {@code future.get()}. A program that has made no
 * call for {@link #QUIET_NANOS} therefore counts as waiting: one function begins, the first of
 * those that are next in their streams. If the program makes no call for as long again, the next
 * one begins. If no function can begin, because one that runs keeps the others from beginning, this
 * is reported after the patience of {@link HeldWork}. Guarded by the backend's lock.
 */
final class Stillness {
  /** The real time without a call after which a program counts as waiting. */
  private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Engine engine;
  private boolean watching;
  private long calls;
  private long quietNanos;
  private boolean warned;

  Stillness(Engine engine) {
    this.engine = engine;
  }

  /** Watches the program, until no function is left. */
  void watch() {
    if (!watching && engine.heldWork.patience > 0) {
      watching = true;
      restart();
      // Weak, so that a forgotten simulator can be garbage-collected.
      WeakReference<Stillness> program = new WeakReference<>(this);
      new SimulatorThread(() -> look(program), "vramkit stillness").start();
    }
  }

  private void restart() {
    calls = engine.lock.getCalls();
    quietNanos = 0;
    warned = false;
  }

  private static void look(WeakReference<Stillness> program) {
    boolean goesOn = true;
    while (goesOn) {
      long begun = System.nanoTime();
      LockSupport.parkNanos(QUIET_NANOS);
      Stillness watched = program.get();
      long nanos = System.nanoTime() - begun;
      goesOn = watched != null && watched.engine.lock.locked(() -> watched.look(nanos));
    }
  }

  /** Looks for calls in the time since the last look; returns whether to look again. */
  private boolean look(long nanos) {
    watching = !engine.isClosed() && !engine.functions.isEmpty();
    if (watching && calls != engine.lock.getCalls()) {
      restart();
    } else if (watching && nanos >= QUIET_NANOS) {
      quietNanos += nanos;
      if (engine.functions.beginOne()) {
        quietNanos = 0;
        @Nullable CallRecorder recorder = engine.recording.recorder;
        if (recorder != null) {
          recorder.noteStandstill();
        }
      } else if (quietNanos / HeldWork.PATIENCES >= engine.heldWork.patience) {
        endOrWarn();
      }
    }
    return watching;
  }

  /** Lets functions interleave, or logs what the program may wait for. */
  private void endOrWarn() {
    if (engine.functions.interleave("the program makes no call") || warned) {
      return;
    }
    warned = true;
    List<String> holders = engine.heldWork.words();
    if (!holders.isEmpty()) {
      System.getLogger(Stillness.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "the program makes no call, while work is held by {0}",
              String.join("; ", holders));
    }
  }
}
