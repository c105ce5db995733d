package org.vramkit.sim;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.SimulatorThread;
import org.vramkit.sim.recording.CallRecorder;

/**
 * Watches a program with queued host functions. When all its threads stand still, as in {@code
 * future.get()}, a device would continue: so the oldest function that nothing holds begins. A
 * program without calls for a while may poll a variable, and is treated alike. If nothing can
 * begin, the log describes after a while which thread waits for what. Guarded by the backend's
 * lock.
 */
final class Standstill {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** The number of looks after which a waiting thread is taken to need a function. */
  private static final int STANDING = 2;

  /**
   * The number of looks after a function has returned, because a thread that it woke may not run
   * yet.
   */
  private static final int WOKEN = 8;

  /** The number of looks for a thread that runs or sleeps. */
  private static final int SILENT = 60;

  /** The number of looks after which the watch ends. */
  private static final int GIVEN_UP = 12_000;

  private final Engine engine;
  private boolean watching;
  private long calls;
  private int looks;
  private int standing;
  private boolean told;

  Standstill(Engine engine) {
    this.engine = engine;
  }

  /** Starts watching, until no function is left. */
  void watch() {
    if (!watching && engine.heldWork.patience > 0) {
      watching = true;
      looks = 0;
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
      goesOn = engine.lock.locked(this::look);
    }
  }

  private boolean look() {
    watching = !engine.isClosed() && !engine.functions.isEmpty() && looks < GIVEN_UP;
    if (watching) {
      if (calls != engine.lock.getCalls()) {
        calls = engine.lock.getCalls();
        looks = 0;
        standing = STANDING;
        told = false;
      }
      looks++;
      if (looks >= SILENT || (looks >= standing && engine.lock.standStill())) {
        help();
      }
    }
    return watching;
  }

  private void help() {
    if (engine.functions.beginOne()) {
      @Nullable CallRecorder recorder = engine.recording.recorder;
      if (recorder != null) {
        recorder.noteStandstill();
      }
      looks = 0;
      standing = WOKEN;
    } else if (!told && looks * POLL_NANOS > engine.heldWork.patience) {
      told = true;
      String words = "the program stands still: " + engine.lock.callerWords();
      if (engine.lock.standStill() && engine.functions.interleave(words)) {
        return;
      }
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
}
