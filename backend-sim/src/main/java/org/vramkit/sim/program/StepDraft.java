package org.vramkit.sim.program;

import java.util.ArrayList;
import java.util.List;

/** A step while it is being recorded: says what a call refers to, before the call is made. */
public final class StepDraft {
  private final ProgramRecorder recorder;
  private final StepKind kind;
  private final List<Integer> uses = new ArrayList<>(2);
  private final List<ByteRange> reads = new ArrayList<>(2);
  private final List<ByteRange> writes = new ArrayList<>(2);
  private int device;
  private long value;
  private String text = "";
  private long ending;

  StepDraft(ProgramRecorder recorder, StepKind kind) {
    this.recorder = recorder;
    this.kind = kind;
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

  Step step(int number, int thread, int makes, StepFailure failure) {
    return new Step(number, thread, kind, device, makes, uses, reads, writes, value, text, failure);
  }
}
