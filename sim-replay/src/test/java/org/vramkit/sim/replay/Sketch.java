package org.vramkit.sim.replay;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.hazard.CheckerOptions;
import org.vramkit.sim.schedule.Schedule;

/** Writes a program by hand, on one small device. Operands are named by their numbers. */
final class Sketch {
  private final List<Step> steps = new ArrayList<>();
  private final List<ProgramThread> threads = new ArrayList<>(List.of(ProgramThread.named("main")));
  private int operands;
  private int thread;

  static ProgramSetup setup(long seed) {
    DeviceProfile small = DeviceProfile.SMALL_8GIB;
    return new ProgramSetup(seed, Schedule.timed(), false, CheckerOptions.DEFAULT, List.of(small));
  }

  Program program(long seed) {
    return new Program(setup(seed), threads, steps, true);
  }

  /** Later steps are those of another thread. */
  Sketch by(String name) {
    ProgramThread other = ProgramThread.named(name);
    if (!threads.contains(other)) {
      threads.add(other);
    }
    thread = threads.indexOf(other);
    return this;
  }

  int stream() {
    return add(StepKind.CREATE_STREAM, List.of(), List.of(), List.of(), 0, "NON_BLOCKING");
  }

  int event() {
    return add(StepKind.CREATE_EVENT, List.of(), List.of(), List.of(), 0, "");
  }

  int allocate(long bytes) {
    return add(StepKind.ALLOCATE, List.of(), List.of(), List.of(), bytes, "");
  }

  /** Addresses of so many bytes with memory behind them. */
  int mapped(long bytes) {
    int memory = add(StepKind.RESERVE, List.of(), List.of(), List.of(), bytes, "");
    int physical = add(StepKind.CREATE_PHYSICAL, List.of(), List.of(), List.of(), bytes, "");
    List<ByteRange> all = List.of(new ByteRange(memory, 0, bytes));
    add(StepKind.MAP, List.of(physical), List.of(), all, 0, "");
    add(StepKind.SET_ACCESS, List.of(), List.of(), all, 0, "");
    return memory;
  }

  void free(int memory) {
    add(StepKind.FREE, List.of(), List.of(), List.of(start(memory)), 0, "");
  }

  void launch(int stream, String name, List<ByteRange> reads, List<ByteRange> writes) {
    add(StepKind.LAUNCH, List.of(stream), reads, writes, 1000, name);
  }

  void record(int event, int stream) {
    add(StepKind.RECORD_EVENT, List.of(event, stream), List.of(), List.of(), 0, "");
  }

  void waitFor(int stream, int event) {
    add(StepKind.WAIT_FOR_EVENT, List.of(stream, event), List.of(), List.of(), 0, "");
  }

  void query(StepKind kind, int operand, boolean yes) {
    add(kind, List.of(operand), List.of(), List.of(), yes ? 1 : 0, "");
  }

  void synchronizeDevice() {
    add(StepKind.SYNCHRONIZE_DEVICE, List.of(), List.of(), List.of(), 0, "");
  }

  void synchronize(int stream) {
    add(StepKind.SYNCHRONIZE_STREAM, List.of(stream), List.of(), List.of(), 0, "");
  }

  void tell(StepKind kind, int stream, ByteRange block) {
    add(kind, List.of(stream), List.of(), List.of(block), 0, "");
  }

  /** What a fault plan does to the work of the step before. */
  void suffers(StepFault fault) {
    steps.add(steps.remove(steps.size() - 1).suffering(fault));
  }

  void failed(StepKind kind, long value, StepFailure failure) {
    steps.add(Step.of(steps.size() + 1, thread, kind).valued(value).failing(failure));
  }

  static ByteRange start(int memory) {
    return new ByteRange(memory, 0, 0);
  }

  private int add(
      StepKind kind,
      List<Integer> uses,
      List<ByteRange> reads,
      List<ByteRange> writes,
      long value,
      String text) {
    int makes = kind.getMade() == OperandKind.NOTHING ? 0 : ++operands;
    steps.add(
        Step.of(steps.size() + 1, thread, kind)
            .making(makes)
            .using(uses)
            .touching(reads, writes)
            .valued(value)
            .named(text));
    return makes;
  }
}
