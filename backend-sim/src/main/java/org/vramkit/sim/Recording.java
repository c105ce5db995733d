package org.vramkit.sim;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.program.ProgramRecorder;
import org.vramkit.sim.program.StepDraft;
import org.vramkit.sim.program.StepFault;
import org.vramkit.sim.program.StepKind;

/**
 * Calls to the simulator, one at a time, as steps of a program where these are wanted. What a call
 * refers to is said before it is made, by a function that nobody calls unless it is recorded.
 */
final class Recording {
  private final ReentrantLock lock;
  private final Deliberation deliberation;
  private final BooleanSupplier inPool;
  private final @Nullable ProgramRecorder recorder;

  /**
   * Of calls under a lock.
   *
   * @param inPool whether the calling thread is inside a pool
   */
  Recording(
      ReentrantLock lock,
      Deliberation deliberation,
      BooleanSupplier inPool,
      @Nullable ProgramRecorder recorder) {
    this.inPool = inPool;
    this.lock = lock;
    this.deliberation = deliberation;
    this.recorder = recorder;
  }

  /** What records; null if nothing does. */
  @Nullable ProgramRecorder recorder() {
    return recorder;
  }

  /** Makes a call that gives nothing back. */
  void perform(StepKind kind, Consumer<StepDraft> operation, Runnable call) {
    lock.lock();
    try {
      if (recorder == null) {
        call.run();
      } else {
        recorder.inPool(inPool.getAsBoolean()).perform(kind, operation, call);
      }
    } finally {
      lock.unlock();
      callEnds();
    }
  }

  /** Makes a call whose result no later step refers to. */
  <T> T call(StepKind kind, Consumer<StepDraft> operation, Supplier<T> call) {
    return make(kind, operation, call, result -> 0);
  }

  /** Asks a question. */
  boolean ask(StepKind kind, Consumer<StepDraft> operation, Supplier<Boolean> call) {
    lock.lock();
    try {
      return recorder == null
          ? call.get()
          : recorder.inPool(inPool.getAsBoolean()).ask(kind, operation, call);
    } finally {
      lock.unlock();
      callEnds();
    }
  }

  /**
   * Makes a call that makes something.
   *
   * @param handle by which the device knows what was made
   */
  <T> T make(
      StepKind kind, Consumer<StepDraft> operation, Supplier<T> call, ToLongFunction<T> handle) {
    lock.lock();
    try {
      return recorder == null
          ? call.get()
          : recorder.inPool(inPool.getAsBoolean()).make(kind, operation, call, handle);
    } finally {
      lock.unlock();
      callEnds();
    }
  }

  /** Asks for what is always there; the first time is a step. */
  <T> T get(StepKind kind, Consumer<StepDraft> operation, T thing, int device) {
    if (recorder != null) {
      lock.lock();
      try {
        recorder.get(kind, operation, device);
      } finally {
        lock.unlock();
        callEnds();
      }
    }
    return thing;
  }

  /** The lock was let go: where the call relied on the end of a thread, that end is noted. */
  private void callEnds() {
    if (deliberation.callEnds() && recorder != null) {
      lock.lock();
      try {
        recorder.noteEndedThreads();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Makes a call that is no step. */
  <T> T unrecorded(Supplier<T> call) {
    lock.lock();
    try {
      return call.get();
    } finally {
      lock.unlock();
      callEnds();
    }
  }

  /**
   * Hands over between host threads. No step as long as there is only one of them: pools and locks
   * do so all the time.
   */
  void handOver(StepKind kind, Consumer<StepDraft> operation, Runnable call) {
    lock.lock();
    try {
      if (recorder == null || recorder.isAlone()) {
        call.run();
      } else {
        recorder.inPool(inPool.getAsBoolean()).perform(kind, operation, call);
      }
    } finally {
      lock.unlock();
      callEnds();
    }
  }

  /** Notes what happened by itself during a call. Locked. */
  void note(StepKind kind, Consumer<StepDraft> operation) {
    if (recorder != null) {
      recorder.note(kind, operation);
    }
  }

  /** Notes what a fault plan does to the work of the call that is being made. Locked. */
  void suffers(StepFault fault) {
    if (recorder != null && fault.isAny()) {
      recorder.suffers(fault);
    }
  }

  /** Notes that a fault plan is why a call throws this. Locked. */
  <T extends RuntimeException> T refuses(T thrown) {
    if (recorder != null) {
      recorder.refuses(thrown);
    }
    return thrown;
  }

  /**
   * User's code in the work of the call that is being made: what it calls is told apart. Locked.
   */
  Runnable body(Runnable work) {
    return recorder == null ? work : recorder.body(work);
  }
}
