package org.vramkit.sim.program;

import java.util.ArrayList;
import java.util.List;

/** A step while it is being recorded: says what a call refers to, before the call is made. */
public final class StepDraft {
  private final ProgramRecorder recorder;
  private final StepKind kind;
  private final int number;
  private final int inside;
  private final List<Integer> uses = new ArrayList<>(2);
  private final List<ByteRange> reads = new ArrayList<>(2);
  private final List<ByteRange> writes = new ArrayList<>(2);
  private int device;
  private long value;
  private String text = "";
  private long ending;
  private StepFault fault = StepFault.NONE;

  StepDraft(ProgramRecorder recorder, StepKind kind, int number, int inside) {
    this.recorder = recorder;
    this.kind = kind;
    this.number = number;
    this.inside = inside;
  }

  /** The device that was called. */
  public StepDraft device(int ordinal) {
    device = ordinal;
    return this;
  }

  /**
   * An operand, in the order of the kind's roles.
   *
   * @param ordinal the device that it belongs to
   * @param handle by which that device knows it
   */
  public StepDraft uses(OperandKind operand, int ordinal, long handle) {
    uses.add(recorder.numberOf(operand, ordinal, handle));
    if (operand == OperandKind.PINNED) {
      ending = handle;
    }
    return this;
  }

  /** Bytes that it reads or looks at. */
  public StepDraft reads(long address, long bytes) {
    reads.add(recorder.range(address, bytes));
    return this;
  }

  /** Bytes that it writes, hands out or takes away. */
  public StepDraft writes(long address, long bytes) {
    writes.add(recorder.range(address, bytes));
    ending = address;
    return this;
  }

  /** A figure, as the kind tells. */
  public StepDraft value(long figure) {
    value = figure;
    return this;
  }

  /** A name, as the kind tells. */
  public StepDraft text(String name) {
    text = name;
    return this;
  }

  int device() {
    return device;
  }

  long value() {
    return value;
  }

  /** The start of the memory that the step ends, if its kind does so. */
  long ending() {
    return ending;
  }

  int number() {
    return number;
  }

  /** What a fault plan did to the work that the call has submitted. */
  void suffered(StepFault what) {
    fault = what;
  }

  Step step(int thread, int makes, StepFailure failure) {
    return Step.of(number, thread, kind)
        .inside(inside)
        .on(device)
        .using(uses)
        .touching(reads, writes)
        .valued(value)
        .named(text)
        .suffering(fault)
        .failing(failure)
        .making(makes);
  }
}
