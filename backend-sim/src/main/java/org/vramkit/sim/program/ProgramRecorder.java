package org.vramkit.sim.program;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.vramkit.api.error.InvalidArgumentException;

/**
 * Turns calls into steps. Keeps numbers for handles and addresses, never the objects, so that it
 * does not hold what the program has dropped. Not safe for threads: the backend's lock guards it.
 */
public final class ProgramRecorder {
  /** How many steps are recorded unless told otherwise: some 20 MB. */
  public static final int DEFAULT_MAXIMUM_STEPS = 100_000;

  private record Handle(OperandKind kind, int device, long value) {}

  private final int maximumSteps;
  private final Map<Handle, Integer> numbers = new HashMap<>();
  private final MemoryNames addresses = new MemoryNames();
  private final Map<Long, Integer> threads = new HashMap<>();
  private final List<String> threadNames = new ArrayList<>();
  private final List<Step> steps = new ArrayList<>();
  private int operands;
  private boolean complete = true;

  /** Threads within a call; a wait lets others in. */
  private final Set<Long> busy = new HashSet<>();

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
    return new Program(setup, threadNames, steps, complete);
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

  private <T> T record(
      StepKind kind, Consumer<StepDraft> operation, Supplier<T> call, Outcome<T> outcome) {
    long caller = Thread.currentThread().getId();
    if (!complete || busy.contains(caller)) {
      // A call made by a call belongs to that one.
      return call.get();
    }
    if (steps.size() == maximumSteps) {
      complete = false;
      return call.get();
    }
    StepDraft draft = new StepDraft(this, kind);
    operation.accept(draft);
    int thread = thread();
    busy.add(caller);
    try {
      T result = call.get();
      int made = outcome.note(draft, result);
      if (kind.isEnd()) {
        addresses.end(draft.ending());
      }
      steps.add(draft.step(steps.size() + 1, thread, made, StepFailure.NONE));
      return result;
    } catch (RuntimeException e) {
      steps.add(draft.step(steps.size() + 1, thread, 0, StepFailure.of(e)));
      throw e;
    } finally {
      busy.remove(caller);
    }
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

  private int thread() {
    Thread current = Thread.currentThread();
    return threads.computeIfAbsent(
        current.getId(),
        id -> {
          threadNames.add(current.getName());
          return threadNames.size() - 1;
        });
  }
}
