package org.vramkit.sim;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.SimulatorThread;
import org.vramkit.sim.recording.CallRecorder;

/**
 * Watches a program with queued host functions. When all threads of the program wait, as in {@code
 * future.get()}, a device would continue, so one function begins ({@link HostFunctions#beginOne}).
 * The same happens when the program makes no calls for a while, because it may poll a variable. If
 * no function can begin, the log later describes which thread waits for what. Guarded by the
 * backend's lock.
 */
final class Standstill {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Number of polls without a call after which waiting threads let a function begin. */
  private static final int STANDING = 2;

  /**
   * Number of polls once a function has begun; larger, because a thread that the function woke may
   * not run yet.
   */
  private static final int WOKEN = 8;

  /**
   * Number of polls without a call after which a program whose threads run or sleep lets one begin.
   */
  private static final int SILENT = 60;

  /** Number of polls without a call after which the watch ends. */
  private static final int GIVEN_UP = 12_000;

  private final Engine engine;
  private boolean watching;
  private long calls;
  private int polls;
  private int standing;
  private boolean warned;

  Standstill(Engine engine) {
    this.engine = engine;
  }

  /** Starts watching, until no function is left. */
  void watch() {
    if (!watching && engine.heldWork.patience > 0) {
      watching = true;
      polls = 0;
      standing = STANDING;
      new SimulatorThread(this::run, "vramkit standstill").start();
    }
  }

  private void run() {
    boolean goesOn = true;
    while (goesOn) {
      long begun = System.nanoTime();
      LockSupport.parkNanos(POLL_NANOS);
      if (System.nanoTime() - begun > 2 * POLL_NANOS) {
        // The machine is busy, so threads may be runnable and not run.
        LockSupport.parkNanos(POLL_NANOS);
      }
      goesOn = engine.lock.locked(this::poll);
    }
  }

  private boolean poll() {
    watching = !engine.isClosed() && !engine.functions.isEmpty() && polls < GIVEN_UP;
    if (watching) {
      if (calls != engine.lock.getCalls()) {
        calls = engine.lock.getCalls();
        polls = 0;
        standing = STANDING;
        warned = false;
      }
      polls++;
      if (polls >= SILENT || (polls >= standing && engine.lock.standStill())) {
        beginOneOrWarn();
      }
    }
    return watching;
  }

  private void beginOneOrWarn() {
    if (engine.functions.beginOne()) {
      @Nullable CallRecorder recorder = engine.recording.recorder;
      if (recorder != null) {
        recorder.noteStandstill();
      }
      polls = 0;
      standing = WOKEN;
    } else if (isPatienceOver()) {
      String words = "the program stands still: " + engine.lock.callerWords();
      if ((engine.lock.standStill() && engine.functions.interleave(words)) || warned) {
        return;
      }
      warned = true;
      List<String> holders = engine.heldWork.words();
      if (!holders.isEmpty()) {
        System.getLogger(Standstill.class.getName())
            .log(
                System.Logger.Level.WARNING,
                "the program stands still: {0}, while work is held by {1}",
                engine.lock.callerWords(),
                String.join("; ", holders));
      }
    }
  }

  private boolean isPatienceOver() {
    long patience = engine.heldWork.patience;
    return engine.heldWork.stillness.look() >= patience
        || polls * POLL_NANOS / HeldWork.MOST_PATIENCES > patience;
  }
}
