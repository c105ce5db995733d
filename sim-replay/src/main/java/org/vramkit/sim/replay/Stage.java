package org.vramkit.sim.replay;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.vramkit.api.device.DeviceBinding;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.StreamOrderedMemory;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.HandOff;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimGate;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.replay.Step.KernelRanges;

/** The simulator of a running program, with everything that its steps have made so far. */
final class Stage {
  private final SimBackend backend;
  private final Map<Integer, Object> made = new HashMap<>();
  private final Map<Integer, List<Step>> inside = new HashMap<>();
  private final Consumer<Step> runner;

  /** Page-locked buffers that the host changes through views; a view is taken at allocation. */
  private final Set<Integer> changed = new HashSet<>();

  /** First bytes of the ranges that the host has written through views. */
  private final Set<ByteRange> written = new HashSet<>();

  /** Addresses of page-locked buffers, including closed ones. */
  private final Map<Integer, Long> addresses = new HashMap<>();

  private final Map<Integer, ByteBuffer> views = new HashMap<>();

  /**
   * Creates a stage without operands.
   *
   * @param runner runs the steps in bodies of kernels and host functions
   */
  Stage(SimBackend backend, List<Step> steps, Consumer<Step> runner) {
    this.backend = backend;
    this.runner = runner;
    for (Step step : steps) {
      if (step.inside() != 0) {
        inside.computeIfAbsent(step.inside(), number -> new ArrayList<>()).add(step);
      }
      step.changedByHost().ifPresent(range -> changed.add(range.operand()));
    }
  }

  SimBackend backend() {
    return backend;
  }

  SimDevice device(Step step) {
    return backend.getDevice(step.device());
  }

  /** Returns whether all operands of a step's call were made. */
  boolean has(Step step) {
    return step.isWhole() && step.needs().allMatch(made::containsKey);
  }

  /** Keeps the result of a step: memory by its address, physical memory by its handle. */
  void keep(Step step, Object what) {
    if (step.makes() == 0) {
      return;
    }
    made.put(step.makes(), what);
    if (what instanceof PinnedBuffer buffer) {
      addresses.put(step.makes(), buffer.getAddress());
      if (changed.contains(step.makes())) {
        views.put(step.makes(), buffer.getBytes(0, Math.toIntExact(buffer.getSize())));
      }
    }
  }

  /** Returns a range of page-locked memory for the host to write. */
  private ByteBuffer view(ByteRange range) {
    ByteBuffer all =
        Objects.requireNonNull(views.get(range.operand()), "a view of what the host changes");
    if (range.offset() < 0 || range.bytes() > all.capacity() - range.offset()) {
      throw new InvalidArgumentException(
          range + " is not inside a buffer of " + all.capacity() + " bytes");
    }
    return all.slice((int) range.offset(), (int) range.bytes());
  }

  /**
   * Writes the first byte of a range, once, because the host wrote the range; its values are
   * unknown.
   */
  private void writeByView(ByteRange range) {
    if (written.add(new ByteRange(range.operand(), range.offset(), 1))) {
      view(range).put(0, (byte) 1);
    }
  }

  /** Changes every byte of a range as the host did. */
  void change(ByteRange range) {
    ByteBuffer bytes = view(range);
    for (int i = 0; i < bytes.capacity(); i++) {
      bytes.put(i, (byte) ~bytes.get(i));
    }
  }

  /** Copies from page-locked memory, after a write by the host if there was one. */
  void copyFromPinned(SimStream stream, Step step) {
    ByteRange source = step.source();
    long target = start(step);
    if (step.value() == 1) {
      writeByView(source);
    }
    stream.copyToDevice(target, pinned(source), source.offset(), source.bytes());
  }

  /** Returns a host buffer of the length of a range. */
  static ByteBuffer buffer(ByteRange range) {
    return ByteBuffer.allocate(Math.toIntExact(range.bytes()));
  }

  static void synchronizeForAll(SimStream stream) {
    try {
      stream.synchronizeAsync(Runnable::run).toCompletableFuture().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof GpuException refusal) {
        throw refusal;
      }
      throw e;
    }
  }

  /**
   * Waits in place of a positive query, which orders work like a wait; a negative query has no
   * effect.
   */
  void waitIfYes(Step question, Runnable wait) {
    if (question.isYes()) {
      wait.run();
    }
  }

  /** Returns the kernel of a step. Only its ranges are known, not its effect. */
  SimKernel kernel(Step step) {
    SimKernel.Builder kernel = SimKernel.named(step.text());
    KernelRanges ranges = KernelRanges.of(step);
    ranges.reads().forEach(range -> kernel.reads(address(range), range.bytes()));
    ranges.writes().forEach(range -> kernel.writes(address(range), range.bytes()));
    ranges.atomics().forEach(range -> kernel.atomics(address(range), range.bytes()));
    if (step.value() >= 0) {
      kernel.taking(step.value());
    }
    if (inside.containsKey(step.number())) {
      Runnable body = bodyOf(step);
      kernel.body(bytes -> body.run());
    }
    return kernel.build();
  }

  /**
   * Returns the body of a kernel or host function, which makes the calls recorded inside the step.
   */
  Runnable bodyOf(Step step) {
    List<Step> calls = inside.getOrDefault(step.number(), List.of());
    return () -> calls.forEach(runner);
  }

  HandOff handOff(Step step) {
    return operand(step, OperandKind.HAND_OFF, HandOff.class);
  }

  HandOff.Scope scope(Step step) {
    return operand(step, OperandKind.HAND_OFF_SCOPE, HandOff.Scope.class);
  }

  SimStream stream(Step step) {
    return operand(step, OperandKind.STREAM, SimStream.class);
  }

  SimEvent event(Step step) {
    return operand(step, OperandKind.EVENT, SimEvent.class);
  }

  /** Returns a driver pool, the default one or another. */
  StreamOrderedMemory memoryOf(Step step) {
    return operand(step, OperandKind.POOL, StreamOrderedMemory.class);
  }

  /** Returns a driver pool that the program created. */
  DriverPool pool(Step step) {
    return operand(step, OperandKind.POOL, DriverPool.class);
  }

  SimGate gate(Step step) {
    return operand(step, OperandKind.GATE, SimGate.class);
  }

  DeviceBinding binding(Step step) {
    return operand(step, OperandKind.BINDING, DeviceBinding.class);
  }

  Graph graph(Step step) {
    return operand(step, OperandKind.GRAPH, Graph.class);
  }

  Graphs.Relaxation relaxation(Step step) {
    return operand(step, OperandKind.RELAXATION, Graphs.Relaxation.class);
  }

  PinnedBuffer pinned(Step step) {
    return operand(step, OperandKind.PINNED, PinnedBuffer.class);
  }

  PinnedBuffer pinned(ByteRange range) {
    return find(range.operand(), PinnedBuffer.class);
  }

  long physical(Step step) {
    return operand(step, OperandKind.PHYSICAL, Long.class);
  }

  VirtualMemory virtual(Step step) {
    return device(step).getVirtualMemory();
  }

  MemoryObserver observer(Step step) {
    return device(step).getMemoryObserver();
  }

  /** Returns the start of the memory that a step allocates or frees. */
  long start(Step step) {
    return address(step.target());
  }

  /** Returns the other device of a step. */
  SimDevice other(Step step) {
    return backend.getDevice(Math.toIntExact(step.value()));
  }

  /** Returns the current address of a range. */
  long address(ByteRange range) {
    return range.operand() == ByteRange.NOWHERE
        ? range.offset()
        : base(range.operand()) + range.offset();
  }

  private long base(int operand) {
    Long ofBuffer = addresses.get(operand);
    return ofBuffer == null ? find(operand, Long.class) : ofBuffer;
  }

  private <T> T operand(Step step, OperandKind kind, Class<T> type) {
    int role = step.kind().getRoles().indexOf(kind);
    return find(step.uses().get(role), type);
  }

  private <T> T find(int number, Class<T> type) {
    return type.cast(
        Objects.requireNonNull(made.get(number), "an operand of a step that was to be skipped"));
  }
}
