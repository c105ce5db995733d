package org.vramkit.sim;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.SimulatorThread;
import org.vramkit.sim.recording.CallRecorder;

/**
 * Watches a program that has queued host functions. Where all its threads stand still, as in {@code
 * future.get()}, a device would go on: so the oldest function begins that nothing holds. A program
 * that makes no call for a while may watch a variable instead, and is helped as well. Where nothing
 * can begin, the log tells after a while who waits for what. Guarded by the backend's lock.
 */
final class Standstill {
  private static final System.Logger LOG = System.getLogger(Standstill.class.getName());
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** After so many looks a thread that waits is taken for one that needs help. */
  private static final int STANDING = 2;

  /**
   * The same after a function has returned, which may have woken a thread that is not there yet.
   */
  private static final int WOKEN = 8;

  /** The same for one that runs or sleeps. */
  private static final int SILENT = 60;

  /** After so many looks there is nobody left to help. */
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

  /** Watches from now on, until no function is left. */
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
        // Threads wait for processors, and so may those that are not blocked any more.
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
        LOG.log(
            System.Logger.Level.WARNING,
            "the program stands still: {0}, while work is held by {1}",
            engine.lock.callerWords(),
            String.join("; ", holders));
      }
    }
  }
}
