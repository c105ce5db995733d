package org.vramkit.sim.replay;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonPOJOBuilder;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Builds a step from a call, or from a file, which omits fields that are 0 or empty. */
@JsonPOJOBuilder(buildMethodName = "step")
@JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
final class StepDraft {
  final int number;
  int thread;
  StepKind kind;
  int inside;
  int device;
  int makes;
  List<Integer> uses = new ArrayList<>(2);
  List<ByteRange> reads = new ArrayList<>(2);
  List<ByteRange> writes = new ArrayList<>(2);
  long value;
  String text = "";
  StepFailure failure = StepFailure.NONE;
  StepFault fault = StepFault.NONE;

  @JsonCreator
  private static StepDraft read(
      @JsonProperty("number") int number, @JsonProperty("kind") StepKind kind) {
    return new StepDraft(number, 0, kind);
  }

  StepDraft(int number, int thread, StepKind kind) {
    this.number = number;
    this.thread = thread;
    this.kind = kind;
  }

  /** Starts from a step. */
  StepDraft(Step step) {
    this(step.number(), step.thread(), step.kind());
    inside = step.inside();
    device = step.device();
    makes = step.makes();
    uses = step.uses();
    reads = step.reads();
    writes = step.writes();
    value = step.value();
    text = step.text();
    failure = step.failure();
    fault = step.fault();
  }

  /** Marks the step as failed, so that it has no result. */
  void fails(StepFailure end) {
    failure = end;
    makes = 0;
  }

  /**
   * Takes the ranges of another draft that this one lacks, and its kind if that has atomic
   * operations. Returns whether anything changed.
   */
  boolean takeAccesses(StepDraft other) {
    Set<ByteRange> allReads = new LinkedHashSet<>(reads);
    Set<ByteRange> allWrites = new LinkedHashSet<>(writes);
    boolean grows = allReads.addAll(other.reads);
    grows |= allWrites.addAll(other.writes);
    if (grows) {
      reads = List.copyOf(allReads);
      writes = List.copyOf(allWrites);
      kind = kind == StepKind.LAUNCH_ATOMIC ? kind : other.kind;
    }
    return grows;
  }

  Step step() {
    return new Step(
        number, thread, inside, kind, device, makes, uses, reads, writes, value, text, failure,
        fault);
  }
}
