package org.vramkit.sim;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.recording.CallNote;
import org.vramkit.sim.recording.CallRecorder;

/**
 * Calls to the simulator, one at a time, told to a recorder where there is one. What a call refers
 * to is said before it is made, by a function that nobody calls unless it is recorded.
 */
final class CallRecording {
  private final LendableLock lock;
  private final BooleanSupplier inPool;
  private final BooleanSupplier endedThreadsJoined;
  final @Nullable CallRecorder recorder;

  /** Asks whether a pool calls, and whether a verdict relied on threads that had ended. */
  CallRecording(
      LendableLock lock,
      BooleanSupplier inPool,
      BooleanSupplier endedThreadsJoined,
      @Nullable CallRecorder recorder) {
    this.lock = lock;
    this.inPool = inPool;
    this.endedThreadsJoined = endedThreadsJoined;
    this.recorder = recorder;
  }

  void perform(String call, Consumer<CallNote> operands, Runnable action) {
    call(call, operands, answering(action));
  }

  private static Supplier<Boolean> answering(Runnable action) {
    return () -> {
      action.run();
      return true;
    };
  }

  /** Makes a call whose result no later one refers to. */
  <T> T call(String call, Consumer<CallNote> operands, Supplier<T> action) {
    return make(call, operands, action, result -> 0);
  }

  boolean ask(String call, Consumer<CallNote> operands, Supplier<Boolean> action) {
    return make(call, operands, action, answer -> answer ? 1 : 0);
  }

  /** Makes a call that makes something, which the device knows by a handle. */
  <T> T make(
      String call, Consumer<CallNote> operands, Supplier<T> action, ToLongFunction<T> handle) {
    CallRecorder to = recorder;
    if (to == null) {
      return unrecorded(action);
    }
    return unrecorded(
        () -> {
          to.inPool(inPool.getAsBoolean());
          T result = to.record(call, operands, action, handle);
          if (endedThreadsJoined.getAsBoolean()) {
            to.noteEndedThreads();
          }
          return result;
        });
  }

  /** Asks for what is always there; the first time is told. */
  <T> T get(String call, T thing, int device) {
    CallRecorder to = recorder;
    if (to != null) {
      performUnrecorded(() -> to.get(call, device));
    }
    return thing;
  }

  /** Makes a call that is not told. */
  <T> T unrecorded(Supplier<T> action) {
    return lock.locked(action);
  }

  void performUnrecorded(Runnable action) {
    unrecorded(answering(action));
  }

  /**
   * Hands over between host threads. Not told as long as there is only one of them: pools and locks
   * do so all the time.
   */
  void performHandOff(String call, Consumer<CallNote> operands, Runnable action) {
    performUnrecorded(
        () -> {
          if (recorder == null || recorder.isAlone()) {
            action.run();
          } else {
            perform(call, operands, action);
          }
        });
  }

  /** Notes what happened by itself during a call. Locked. */
  void note(String call, Consumer<CallNote> operands) {
    if (recorder != null) {
      recorder.note(call, operands);
    }
  }

  /** Notes what a fault plan does to the work of the call that is being made. Locked. */
  void noteWorkFault(long delayNanos, boolean hangs) {
    if (recorder != null && (delayNanos > 0 || hangs)) {
      recorder.suffers(delayNanos, hangs);
    }
  }

  /** Notes that a fault plan is why a call throws this. Locked. */
  <T extends RuntimeException> T noteFailure(T thrown) {
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
