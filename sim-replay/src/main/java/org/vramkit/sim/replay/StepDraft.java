package org.vramkit.sim.replay;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonPOJOBuilder;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.vramkit.sim.replay.Step.KernelRanges;

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
   * Takes the ranges of another launch of the same kernel that this one lacks. A range that one of
   * them accesses other than by atomic operations alone is read and written. Returns whether
   * anything changed.
   */
  boolean takeAccesses(StepDraft other) {
    KernelRanges mine = KernelRanges.of(kind, reads, writes);
    KernelRanges theirs = KernelRanges.of(other.kind, other.reads, other.writes);
    Set<ByteRange> allReads = union(mine.reads(), theirs.reads());
    Set<ByteRange> allWrites = union(mine.writes(), theirs.writes());
    Set<ByteRange> atomics = union(mine.atomics(), theirs.atomics());
    for (ByteRange each : List.copyOf(atomics)) {
      if (allReads.contains(each) || allWrites.contains(each)) {
        atomics.remove(each);
        allReads.add(each);
        allWrites.add(each);
      }
    }
    List<ByteRange> nextReads = new ArrayList<>(allReads);
    if (!atomics.isEmpty()) {
      allReads.stream().filter(allWrites::contains).forEach(nextReads::add);
    }
    nextReads.addAll(atomics);
    List<ByteRange> nextWrites = new ArrayList<>(allWrites);
    nextWrites.addAll(atomics);
    StepKind next = atomics.isEmpty() ? StepKind.LAUNCH : StepKind.LAUNCH_ATOMIC;
    boolean changes = next != kind || !nextReads.equals(reads) || !nextWrites.equals(writes);
    reads = List.copyOf(nextReads);
    writes = List.copyOf(nextWrites);
    kind = next;
    return changes;
  }

  private static Set<ByteRange> union(List<ByteRange> some, List<ByteRange> others) {
    Set<ByteRange> all = new LinkedHashSet<>(some);
    all.addAll(others);
    return all;
  }

  Step step() {
    return new Step(
        number, thread, inside, kind, device, makes, uses, reads, writes, value, text, failure,
        fault);
  }
}
