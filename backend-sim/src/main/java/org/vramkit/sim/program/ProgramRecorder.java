package org.vramkit.sim.program;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * Turns calls into steps. Keeps numbers for handles and addresses, never the objects, so that it
 * does not hold what the program has dropped. Not safe for threads: the backend's lock guards it.
 */
public final class ProgramRecorder {
  /** How many steps are recorded unless told otherwise: some 20 MB. */
  public static final int DEFAULT_MAXIMUM_STEPS = 100_000;

  private record Handle(OperandKind kind, int device, long value) {}

  /** The step whose kernel body or host function a thread runs, and the thread of that step. */
  private record Inside(int step, int thread) {}

  private final int maximumSteps;
  private final Map<Handle, Integer> numbers = new HashMap<>();
  private final MemoryNames addresses = new MemoryNames();
  private final RecordedThreads threads = new RecordedThreads();
  private final List<Step> steps = new ArrayList<>();
  private int numbered;
  private int operands;
  private boolean complete = true;

  /** What each thread within a call is doing; a wait lets others in. */
  private final Map<Long, StepDraft> calls = new ConcurrentHashMap<>();

  /** Threads whose latest call was made by a pool. */
  private final Set<Long> inPools = ConcurrentHashMap.newKeySet();

  /** What each thread runs of a step's own code; a host function may run beside the others. */
  private final Map<Long, Inside> inside = new ConcurrentHashMap<>();

  /** What a fault plan has made a call throw last. */
  private @Nullable RuntimeException planned;

  /**
   * A recorder that has seen nothing.
   *
   * @param maximumSteps how many steps it keeps; at least 1
   */
  public ProgramRecorder(int maximumSteps) {
    if (maximumSteps < 1) {
      throw new InvalidArgumentException(
          "a recorder needs room for at least 1 step; got " + maximumSteps);
    }
    this.maximumSteps = maximumSteps;
  }

  /** What was recorded so far. */
  public Program toProgram(ProgramSetup setup) {
    return new Program(setup, threads.all(), steps, complete);
  }

  /**
   * Says whether a pool makes the next call of the calling thread; noted where that changes.
   *
   * @return this
   */
  public ProgramRecorder inPool(boolean inside) {
    long caller = caller();
    if (inside != inPools.contains(caller) && !calls.containsKey(caller)) {
      note(inside ? StepKind.ENTER_POOL : StepKind.LEAVE_POOL, step -> {});
      if (inside) {
        inPools.add(caller);
      } else {
        inPools.remove(caller);
      }
    }
    return this;
  }

  /** Makes a call that gives nothing back, and records it. */
  public void perform(StepKind kind, Consumer<StepDraft> operation, Runnable call) {
    record(
        kind,
        operation,
        () -> {
          call.run();
          return true;
        },
        (draft, result) -> 0);
  }

  /** Asks a question, and records it with its answer. */
  public boolean ask(StepKind kind, Consumer<StepDraft> operation, Supplier<Boolean> call) {
    return record(
        kind,
        operation,
        call,
        (draft, answer) -> {
          draft.value(answer ? 1 : 0);
          return 0;
        });
  }

  /**
   * Makes a call that makes something, and records it.
   *
   * @param handle by which the device knows what was made: its handle, or its address
   */
  public <T> T make(
      StepKind kind, Consumer<StepDraft> operation, Supplier<T> call, ToLongFunction<T> handle) {
    return record(
        kind,
        operation,
        call,
        (draft, made) ->
            kind.getMade() == OperandKind.NOTHING
                ? 0
                : number(kind.getMade(), draft, handle.applyAsLong(made)));
  }

  /** Notes that something was asked for that is always there, and has the handle 0. */
  public void get(StepKind kind, Consumer<StepDraft> operation, int device) {
    if (numberOf(kind.getMade(), device, 0) == 0) {
      make(kind, operation, () -> 0L, Long::longValue);
    }
  }

  @FunctionalInterface
  private interface Outcome<T> {
    /** Completes the draft; the number of what was made, or 0. */
    int note(StepDraft draft, T result);
  }

  /**
   * The body of a kernel or a host function of the call that the calling thread is making: what it
   * calls becomes steps inside that one.
   */
  public Runnable body(Runnable work) {
    StepDraft submitting = calls.get(caller());
    if (submitting == null) {
      return work;
    }
    Inside step = new Inside(submitting.number(), thread());
    return () -> runInside(step, work);
  }

  private void runInside(Inside step, Runnable work) {
    StepDraft interrupted = calls.remove(caller());
    Inside outer = inside.put(caller(), step);
    try {
      work.run();
    } finally {
      inside.remove(caller());
      if (outer != null) {
        inside.put(caller(), outer);
      }
      if (interrupted != null) {
        calls.put(caller(), interrupted);
      }
    }
  }

  /** The thread that makes a call: what work does counts as done by the one that submitted it. */
  private int thread() {
    Inside step = inside.get(caller());
    return step == null ? threads.current() : step.thread();
  }

  /** Notes what a fault plan does to the work that the calling thread is submitting. */
  public void suffers(StepFault fault) {
    StepDraft submitting = calls.get(caller());
    if (submitting != null) {
      submitting.suffered(fault);
    }
  }

  /** Notes that it is a fault plan that makes a call fail. */
  public void refuses(RuntimeException thrown) {
    planned = thrown;
  }

  /**
   * Whether only the calling thread has made calls so far: then nothing that it hands over matters,
   * because a thread that comes later knows all of it.
   */
  public boolean isAlone() {
    return threads.isAlone();
  }

  /** Notes something that happened by itself, before the call that is being made has any effect. */
  public void note(StepKind kind, Consumer<StepDraft> operation) {
    note(kind, operation, thread());
  }

  /** Notes that the program stood still until work of the device let it go on. */
  public void noteStandstill() {
    note(StepKind.STAND_STILL, step -> {}, 0);
  }

  private void note(StepKind kind, Consumer<StepDraft> operation, int thread) {
    if (complete) {
      StepDraft draft = new StepDraft(this, kind, ++numbered, 0);
      operation.accept(draft);
      add(draft.step(thread, 0, StepFailure.NONE));
    }
  }

  /**
   * Notes the threads that have ended by now before the latest call of the calling thread, which
   * may have relied on their ends.
   */
  public void noteEndedThreads() {
    int caller = thread();
    int at = steps.size() - 1;
    while (at > 0 && steps.get(at).thread() != caller) {
      at--;
    }
    int latest = Math.max(0, at);
    threads.forEachEnded(
        thread -> steps.add(latest, Step.of(++numbered, thread, StepKind.END_THREAD)));
  }

  private void add(Step step) {
    if (steps.size() < maximumSteps) {
      steps.add(step);
    } else {
      complete = false;
    }
  }

  private static long caller() {
    return Thread.currentThread().getId();
  }

  private <T> T record(
      StepKind kind, Consumer<StepDraft> operation, Supplier<T> call, Outcome<T> outcome) {
    if (!complete || calls.containsKey(caller())) {
      // A call made by a call belongs to that one.
      return call.get();
    }
    if (steps.size() == maximumSteps) {
      complete = false;
      return call.get();
    }
    Inside within = inside.get(caller());
    StepDraft draft = new StepDraft(this, kind, ++numbered, within == null ? 0 : within.step());
    operation.accept(draft);
    int thread = thread();
    calls.put(caller(), draft);
    try {
      T result = call.get();
      int made = outcome.note(draft, result);
      if (kind.isEnd()) {
        addresses.end(draft.ending());
      }
      end(draft.step(thread, made, StepFailure.NONE));
      return result;
    } catch (RuntimeException | Error e) {
      end(draft.step(thread, 0, StepFailure.of(e, e.equals(planned))));
      throw e;
    } finally {
      calls.remove(caller());
    }
  }

  /** Adds a step, and before it the ends of threads that it may have relied on. */
  private void end(Step step) {
    threads.forEachEnded(thread -> add(Step.of(++numbered, thread, StepKind.END_THREAD)));
    add(step);
  }

  private int number(OperandKind kind, StepDraft draft, long handle) {
    Handle key = new Handle(kind, draft.device(), handle);
    int number = ++operands;
    numbers.put(key, number);
    if (kind.hasAddresses()) {
      addresses.add(number, handle, draft.value());
    }
    return number;
  }

  int numberOf(OperandKind kind, int device, long handle) {
    return numbers.getOrDefault(new Handle(kind, device, handle), 0);
  }

  ByteRange range(long address, long bytes) {
    return addresses.range(address, bytes);
  }
}
