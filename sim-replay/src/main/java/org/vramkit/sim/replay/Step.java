package org.vramkit.sim.replay;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A call to the simulator. A step refers to the results of earlier steps by number, so that it can
 * be repeated in a run with other handles and addresses.
 *
 * @param number number of the step in the recording, from 1 in the order in which calls began; does
 *     not change when other steps are removed
 * @param thread the host thread that made the call, an index into {@link Program#threads}
 * @param inside the number of the step whose kernel body or host function made the call; 0 if the
 *     host made it
 * @param kind the kind of the call
 * @param device ordinal of the called device
 * @param makes number of the result, above 0; 0 if the call has none
 * @param uses numbers of the operands, in the order of {@link StepKind#getRoles}; 0 for an operand
 *     that the program did not make
 * @param reads the bytes that the call reads or views
 * @param writes the bytes that the call writes, allocates or frees
 * @param value a figure whose meaning {@link StepKind} defines; 0 if the kind has none
 * @param text a name whose meaning {@link StepKind} defines; empty if the kind has none
 * @param failure how the call failed, or {@link StepFailure#NONE}
 * @param fault the planned fault of its work, or {@link StepFault#NONE}
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
@JsonDeserialize(builder = StepDraft.class)
public record Step(
    int number,
    int thread,
    int inside,
    StepKind kind,
    int device,
    int makes,
    List<Integer> uses,
    List<ByteRange> reads,
    List<ByteRange> writes,
    long value,
    String text,
    @JsonInclude(value = JsonInclude.Include.CUSTOM, valueFilter = Absent.class)
        StepFailure failure,
    @JsonInclude(value = JsonInclude.Include.CUSTOM, valueFilter = Absent.class) StepFault fault) {

  /** Copies the lists. */
  public Step {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(uses, "uses");
    Objects.requireNonNull(reads, "reads");
    Objects.requireNonNull(writes, "writes");
    Objects.requireNonNull(text, "text");
    Objects.requireNonNull(failure, "failure");
    Objects.requireNonNull(fault, "fault");
    uses = List.copyOf(uses);
    reads = List.copyOf(reads);
    writes = List.copyOf(writes);
  }

  /** Returns a call without operands. */
  public static Step of(int number, int thread, StepKind kind) {
    Objects.requireNonNull(kind, "kind");
    return new StepDraft(number, thread, kind).step();
  }

  /** Returns whether the step is a query with a positive answer. */
  @JsonIgnore
  public boolean isYes() {
    return kind.isQuery() && value == 1;
  }

  /**
   * Returns the numbers of all results that the step needs; may contain 0 for an operand that the
   * program did not make.
   */
  public Stream<Integer> needs() {
    return Stream.concat(
        uses.stream(),
        Stream.concat(reads.stream(), writes.stream())
            .map(ByteRange::operand)
            .filter(operand -> operand != ByteRange.NOWHERE));
  }

  /** Returns a copy with changes. */
  private Step with(Consumer<StepDraft> change) {
    StepDraft copy = new StepDraft(this);
    change.accept(copy);
    return copy.step();
  }

  /** Returns a copy with another kind. */
  public Step of(StepKind other) {
    Objects.requireNonNull(other, "other");
    return with(copy -> copy.kind = other);
  }

  /** Returns a copy of this step as a call of another thread. */
  public Step by(int other) {
    return with(copy -> copy.thread = other);
  }

  /** Returns a copy on another device. */
  Step on(int other) {
    return with(copy -> copy.device = other);
  }

  /** Returns a copy whose result has another number. */
  public Step making(int other) {
    return with(copy -> copy.makes = other);
  }

  /** Returns a copy with other operands, in the order of the kind's roles. */
  public Step using(List<Integer> others) {
    Objects.requireNonNull(others, "others");
    return with(copy -> copy.uses = others);
  }

  /** Returns a copy that fails, and therefore has no result. */
  public Step failing(StepFailure end) {
    Objects.requireNonNull(end, "end");
    return with(copy -> copy.fails(end));
  }

  /** Returns a copy with another figure. */
  public Step valued(long other) {
    return with(copy -> copy.value = other);
  }

  /** Returns a copy with another name. */
  public Step named(String other) {
    Objects.requireNonNull(other, "other");
    return with(copy -> copy.text = other);
  }

  /** Returns a copy with another planned fault of its work. */
  public Step suffering(StepFault other) {
    Objects.requireNonNull(other, "other");
    return with(copy -> copy.fault = other);
  }

  /** Returns a copy with other ranges. */
  public Step touching(List<ByteRange> otherReads, List<ByteRange> otherWrites) {
    Objects.requireNonNull(otherReads, "otherReads");
    Objects.requireNonNull(otherWrites, "otherWrites");
    return with(
        copy -> {
          copy.reads = otherReads;
          copy.writes = otherWrites;
        });
  }

  /** Returns a copy with each range changed. */
  public Step mapRanges(UnaryOperator<ByteRange> change) {
    Objects.requireNonNull(change, "change");
    return touching(reads.stream().map(change).toList(), writes.stream().map(change).toList());
  }

  /** Returns a copy with each operand changed. */
  public Step mapOperands(IntUnaryOperator change) {
    Objects.requireNonNull(change, "change");
    return using(uses.stream().map(change::applyAsInt).toList())
        .mapRanges(range -> range.in(change.applyAsInt(range.operand())));
  }

  /** Returns the first range that the step reads. */
  ByteRange source() {
    return reads.get(0);
  }

  /** Returns the first range that the step writes, allocates or frees. */
  ByteRange target() {
    return writes.get(0);
  }

  /**
   * Returns whether the step has the ranges that its kind needs, and each page-locked range lies in
   * a buffer of the program. Other operands may be missing.
   */
  boolean isWhole() {
    return (!kind.hasSource() || !reads.isEmpty())
        && (!kind.hasTarget() || !writes.isEmpty())
        && pinned().noneMatch(range -> range.operand() == ByteRange.NOWHERE);
  }

  /** Returns the ranges that must lie in a page-locked buffer. */
  Stream<ByteRange> pinned() {
    return Stream.concat(
        kind.isFromPinned() ? reads.stream() : Stream.empty(),
        kind.isIntoPinned() ? writes.stream() : Stream.empty());
  }

  /**
   * Returns the part of a page-locked buffer that the host has written through views before this
   * step.
   */
  public Optional<ByteRange> changedByHost() {
    return switch (kind) {
      case HOST_CHANGES -> writes.stream().findFirst();
      case COPY_FROM_PINNED -> value == 1 ? reads.stream().findFirst() : Optional.empty();
      default -> Optional.empty();
    };
  }

  @Override
  public String toString() {
    StringBuilder line = new StringBuilder().append(number).append(' ').append(kind.getWord());
    if (!text.isEmpty()) {
      line.append(' ').append(text);
    }
    uses.forEach(use -> line.append(" #").append(use));
    reads.forEach(range -> line.append(" reads ").append(range));
    writes.forEach(range -> line.append(" writes ").append(range));
    if (kind.isQuery()) {
      line.append(isYes() ? " yes" : " no");
    } else if (value != 0) {
      line.append(' ').append(value);
    }
    if (makes != 0) {
      line.append(" -> #").append(makes);
    }
    if (inside != 0) {
      line.append(" inside ").append(inside);
    }
    if (fault.isAny()) {
      line.append(" by plan: ").append(fault);
    }
    if (failure.isFailed()) {
      line.append(" failed: ").append(failure);
    }
    return line.toString();
  }

  /**
   * A filter for JSON: equal to {@link StepFailure#NONE} and {@link StepFault#NONE}, so that files
   * omit them.
   */
  static final class Absent {
    @Override
    public boolean equals(@Nullable Object other) {
      return StepFailure.NONE.equals(other) || StepFault.NONE.equals(other);
    }

    @Override
    public int hashCode() {
      return 0;
    }
  }

  /** The ranges that the kernel of a step accesses, by kind of access. */
  record KernelRanges(List<ByteRange> reads, List<ByteRange> writes, List<ByteRange> atomics) {

    static KernelRanges of(Step step) {
      return of(step.kind(), step.reads(), step.writes());
    }

    /**
     * Divides the ranges of a step; a range that is also written is atomic unless it is read twice.
     */
    static KernelRanges of(StepKind kind, List<ByteRange> reads, List<ByteRange> writes) {
      if (kind != StepKind.LAUNCH_ATOMIC) {
        return new KernelRanges(reads, writes, List.of());
      }
      Set<ByteRange> written = new HashSet<>(writes);
      Set<ByteRange> both = new LinkedHashSet<>();
      Set<ByteRange> twice = new HashSet<>();
      for (ByteRange each : reads) {
        if (written.contains(each) && !both.add(each)) {
          twice.add(each);
        }
      }
      both.removeAll(twice);
      return new KernelRanges(without(reads, both), without(writes, both), List.copyOf(both));
    }

    private static List<ByteRange> without(List<ByteRange> ranges, Set<ByteRange> others) {
      return ranges.stream().distinct().filter(range -> !others.contains(range)).toList();
    }
  }
}
