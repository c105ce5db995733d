package org.vramkit.sim;

import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.check.Checker;
import org.vramkit.sim.recording.CallNote;
import org.vramkit.sim.recording.CallRecorder;

/**
 * Makes the calls to the simulator one at a time, and passes them to a recorder if there is one.
 * The operands of a call are described before it is made, by a function that runs only while
 * recording.
 */
final class CallRecording {
  private final LendableLock lock;
  private final Checker checker;
  final @Nullable CallRecorder recorder;

  /**
   * Creates a recording; the checker tells whether a pool calls, and whether a report relied on
   * ended threads.
   */
  CallRecording(LendableLock lock, Checker checker, @Nullable CallRecorder recorder) {
    this.lock = lock;
    this.checker = checker;
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

  /** Makes a call whose result no later call refers to. */
  <T> T call(String call, Consumer<CallNote> operands, Supplier<T> action) {
    return make(call, operands, action, result -> 0);
  }

  boolean ask(String call, Consumer<CallNote> operands, Supplier<Boolean> action) {
    return make(call, operands, action, answer -> answer ? 1 : 0);
  }

  /** Makes a call that creates something with a handle. */
  <T> T make(
      String call, Consumer<CallNote> operands, Supplier<T> action, ToLongFunction<T> handle) {
    CallRecorder to = recorder;
    if (to == null) {
      return unrecorded(action);
    }
    return unrecorded(
        () -> {
          to.inPool(checker.isInPool());
          T result = to.record(call, operands, action, handle);
          if (checker.hosts.hasJoinedEndedThreads()) {
            to.noteEndedThreads();
          }
          return result;
        });
  }

  /** Returns something that always exists; only the first request is recorded. */
  <T> T get(String call, T thing, int device) {
    CallRecorder to = recorder;
    if (to != null) {
      performUnrecorded(() -> to.get(call, device));
    }
    return thing;
  }

  /** Makes a call that is not recorded. */
  <T> T unrecorded(Supplier<T> action) {
    return lock.locked(action);
  }

  void performUnrecorded(Runnable action) {
    unrecorded(answering(action));
  }

  /**
   * Performs a part of a hand-off. Records it only if several threads have made calls, because
   * pools and locks hand over with every call.
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

  /** Records an event that no call of the program caused. The caller holds the lock. */
  void note(String call, Consumer<CallNote> operands) {
    if (recorder != null) {
      recorder.note(call, operands);
    }
  }

  /**
   * Records captured work whose accesses are not known yet. Returns what adds them, with the call
   * that describes them, or null if there is no recorder. The caller holds the lock.
   */
  @Nullable BiConsumer<String, Consumer<CallNote>> noteOpen(
      String call, Consumer<CallNote> operands) {
    return recorder == null ? null : recorder.noteOpen(call, operands);
  }

  /** Notes the planned fault of the current call's work. The caller holds the lock. */
  void noteWorkFault(long delayNanos, boolean hangs) {
    if (recorder != null && (delayNanos > 0 || hangs)) {
      recorder.suffers(delayNanos, hangs);
    }
  }

  /** Notes that a fault plan makes a call throw. The caller holds the lock. */
  <T extends RuntimeException> T noteFailure(T thrown) {
    if (recorder != null) {
      recorder.refuses(thrown);
    }
    return thrown;
  }

  /**
   * Wraps user code in the work of the current call: its calls are recorded as part of that work.
   * The caller holds the lock.
   */
  Runnable body(Runnable work) {
    return recorder == null ? work : recorder.body(work);
  }
}
