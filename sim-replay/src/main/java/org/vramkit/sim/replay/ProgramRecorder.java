package org.vramkit.sim.replay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.recording.CallNote;
import org.vramkit.sim.recording.CallRecorder;

/**
 * Records the calls to one simulator as steps, which {@link Program#of} returns. The recorder keeps
 * handles and addresses as numbers, so that the objects can be garbage-collected. Not thread-safe;
 * the simulator's lock guards it.
 */
public final class ProgramRecorder implements CallRecorder {
  /** The default limit of recorded steps: some 20 MB. */
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

  /** The current call of each thread; a wait lets other threads call. */
  private final Map<Long, StepDraft> calls = new ConcurrentHashMap<>();

  /** Threads whose latest call was made by a pool. */
  private final Set<Long> inPools = ConcurrentHashMap.newKeySet();

  /** The step whose code each thread runs; a host function may run concurrently. */
  private final Map<Long, Inside> inside = new ConcurrentHashMap<>();

  /** The latest exception that a fault plan has made a call throw. */
  private @Nullable RuntimeException planned;

  /** Creates a recorder for {@value #DEFAULT_MAXIMUM_STEPS} steps. */
  public ProgramRecorder() {
    this(DEFAULT_MAXIMUM_STEPS);
  }

  /**
   * Creates a recorder.
   *
   * @param maximumSteps limit of recorded steps, at least 1. Recording stops there, and the program
   *     is marked as incomplete. A step takes some 200 bytes.
   */
  public ProgramRecorder(int maximumSteps) {
    if (maximumSteps < 1) {
      throw new InvalidArgumentException(
          "a recorder needs room for at least 1 step; got " + maximumSteps);
    }
    this.maximumSteps = maximumSteps;
  }

  /** Returns the program recorded so far. */
  Program toProgram(ProgramSetup setup) {
    return new Program(setup, threads.all(), steps, complete);
  }

  @Override
  public void inPool(boolean inside) {
    long caller = caller();
    if (inside != inPools.contains(caller) && !calls.containsKey(caller)) {
      note(inside ? StepKind.ENTER_POOL : StepKind.LEAVE_POOL, step -> {}, thread());
      if (inside) {
        inPools.add(caller);
      } else {
        inPools.remove(caller);
      }
    }
  }

  @Override
  public void get(String call, int device) {
    OperandKind made = StepKind.of(call).getMade();
    if (numberOf(made, device, 0) == 0) {
      record(call, step -> step.device(device), () -> 0L, Long::longValue);
    }
  }

  @Override
  public Runnable body(Runnable work) {
    StepDraft submitting = calls.get(caller());
    if (submitting == null) {
      return work;
    }
    Inside step = new Inside(submitting.number, thread());
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

  /** Returns the thread of a call; calls of work belong to the thread that submitted it. */
  private int thread() {
    Inside step = inside.get(caller());
    return step == null ? threads.current() : step.thread();
  }

  @Override
  public void suffers(long delayNanos, boolean hangs) {
    StepDraft submitting = calls.get(caller());
    if (submitting != null) {
      submitting.fault = new StepFault(delayNanos, hangs);
    }
  }

  @Override
  public void refuses(RuntimeException thrown) {
    planned = thrown;
  }

  /**
   * Returns whether only one thread has made calls. Hand-offs of that thread need not be recorded,
   * because a thread that starts later knows all earlier work of that thread.
   */
  @Override
  public boolean isAlone() {
    return threads.isAlone();
  }

  @Override
  public void note(String call, Consumer<CallNote> operands) {
    note(StepKind.of(call), operands, thread());
  }

  @Override
  public void noteStandstill() {
    note(StepKind.STAND_STILL, step -> {}, 0);
  }

  private void note(StepKind kind, Consumer<CallNote> operands, int thread) {
    if (complete) {
      add(draft(kind, operands, thread).step());
    }
  }

  private StepDraft draft(StepKind kind, Consumer<CallNote> operands, int thread) {
    StepDraft draft = new StepDraft(++numbered, thread, kind);
    operands.accept(new Operands(draft));
    return draft;
  }

  @Override
  public BiConsumer<String, Consumer<CallNote>> noteOpen(String call, Consumer<CallNote> operands) {
    if (!complete) {
      return (later, accesses) -> {};
    }
    StepDraft draft = draft(StepKind.of(call), operands, thread());
    add(draft.step());
    int newest = this.operands;
    return (later, accesses) -> addAccesses(draft, newest, StepKind.of(later), accesses);
  }

  /**
   * Adds accesses to a step, but for those to memory that was made after it, which is not there
   * when the step is repeated.
   */
  private void addAccesses(
      StepDraft draft, int newest, StepKind kind, Consumer<CallNote> accesses) {
    StepDraft added = new StepDraft(draft.number, draft.thread, kind);
    accesses.accept(new Operands(added));
    added.reads.removeIf(range -> range.operand() > newest);
    added.writes.removeIf(range -> range.operand() > newest);
    if (draft.takeAccesses(added)) {
      for (int at = steps.size() - 1; at >= 0; at--) {
        if (steps.get(at).number() == draft.number) {
          steps.set(at, draft.step());
          return;
        }
      }
    }
  }

  /** Notes the operands of a call in its step, by the numbers of the steps that made them. */
  private final class Operands implements CallNote {
    private final StepDraft step;

    /** The start of the memory that the step frees, if it does. */
    private long ending;

    Operands(StepDraft step) {
      this.step = step;
    }

    @Override
    public Operands device(int ordinal) {
      step.device = ordinal;
      return this;
    }

    @Override
    public Operands uses(int ordinal, long handle) {
      OperandKind role = step.kind.getRoles().get(step.uses.size());
      step.uses.add(numberOf(role, ordinal, handle));
      if (role == OperandKind.PINNED) {
        ending = handle;
      }
      return this;
    }

    @Override
    public Operands reads(long address, long bytes) {
      step.reads.add(addresses.range(address, bytes));
      return this;
    }

    @Override
    public Operands writes(long address, long bytes) {
      step.writes.add(addresses.range(address, bytes));
      ending = address;
      return this;
    }

    @Override
    public Operands value(long figure) {
      step.value = figure;
      return this;
    }

    @Override
    public Operands text(String name) {
      step.text = name;
      return this;
    }
  }

  @Override
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

  @Override
  public <T> T record(
      String call, Consumer<CallNote> operands, Supplier<T> action, ToLongFunction<T> result) {
    if (!complete || calls.containsKey(caller())) {
      // A nested call belongs to the outer one.
      return action.get();
    }
    if (steps.size() == maximumSteps) {
      complete = false;
      return action.get();
    }
    StepDraft draft = new StepDraft(++numbered, thread(), StepKind.of(call));
    Inside within = inside.get(caller());
    draft.inside = within == null ? 0 : within.step();
    Operands noted = new Operands(draft);
    operands.accept(noted);
    calls.put(caller(), draft);
    try {
      T made = action.get();
      succeeds(draft, noted.ending, result.applyAsLong(made));
      end(draft.step());
      return made;
    } catch (RuntimeException | Error e) {
      draft.fails(StepFailure.of(e, e.equals(planned)));
      end(draft.step());
      throw e;
    } finally {
      calls.remove(caller());
    }
  }

  private void succeeds(StepDraft step, long ending, long result) {
    if (step.kind.isQuery()) {
      step.value = result;
    } else if (step.kind.getMade() != OperandKind.NOTHING) {
      step.makes = number(step, result);
    } else if (step.kind.isEnd()) {
      addresses.end(ending);
    }
  }

  /** Adds a step, after the ends of the threads on which the step may have relied. */
  private void end(Step step) {
    threads.forEachEnded(thread -> add(Step.of(++numbered, thread, StepKind.END_THREAD)));
    add(step);
  }

  private int number(StepDraft maker, long handle) {
    OperandKind kind = maker.kind.getMade();
    int number = ++operands;
    numbers.put(new Handle(kind, maker.device, handle), number);
    if (kind.hasAddresses()) {
      addresses.add(number, handle, maker.value);
    }
    return number;
  }

  private int numberOf(OperandKind kind, int device, long handle) {
    return numbers.getOrDefault(new Handle(kind, device, handle), 0);
  }
}
