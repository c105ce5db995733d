package org.vramkit.sim.replay;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.sim.recording.CallNote;

/** A step while it is being recorded: hears what a call refers to, before the call is made. */
final class StepDraft implements CallNote {
  private final ProgramRecorder recorder;
  private final Step.Draft step;
  private final List<Integer> uses = new ArrayList<>(2);
  private final List<ByteRange> reads = new ArrayList<>(2);
  private final List<ByteRange> writes = new ArrayList<>(2);
  private long ending;

  StepDraft(ProgramRecorder recorder, Step.Draft step) {
    this.recorder = recorder;
    this.step = step;
  }

  @Override
  public StepDraft device(int ordinal) {
    step.device = ordinal;
    return this;
  }

  @Override
  public StepDraft uses(int ordinal, long handle) {
    OperandKind role = step.kind.getRoles().get(uses.size());
    uses.add(recorder.numberOf(role, ordinal, handle));
    if (role == OperandKind.PINNED) {
      ending = handle;
    }
    return this;
  }

  @Override
  public StepDraft reads(long address, long bytes) {
    reads.add(recorder.range(address, bytes));
    return this;
  }

  @Override
  public StepDraft writes(long address, long bytes) {
    writes.add(recorder.range(address, bytes));
    ending = address;
    return this;
  }

  @Override
  public StepDraft value(long figure) {
    step.value = figure;
    return this;
  }

  @Override
  public StepDraft text(String name) {
    step.text = name;
    return this;
  }

  /** The parts that the call does not tell itself. */
  Step.Draft parts() {
    return step;
  }

  /** The start of the memory that the step ends, if its kind does so. */
  long ending() {
    return ending;
  }

  Step step() {
    step.uses = uses;
    step.reads = reads;
    step.writes = writes;
    return step.step();
  }
}
