package org.vramkit.sim.replay;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One call to the simulator. Refers to what earlier steps made by number, never by handle or
 * address, so that it can be made again where these differ.
 *
 * @param number its number when it was recorded, from 1 in the order in which calls began; kept
 *     when others around it are dropped
 * @param thread the host thread that made the call, an index into {@link Program#threads}
 * @param inside the number of the step whose kernel body or host function made the call; 0 if the
 *     host made it
 * @param kind what it does
 * @param device ordinal of the device that was called
 * @param makes number of what it makes, above 0; 0 if it makes nothing
 * @param uses numbers of the operands, as {@link StepKind#getRoles} tells; 0 for one that the
 *     program did not make
 * @param reads the bytes that it reads, or looks at
 * @param writes the bytes that it writes, hands out or takes away
 * @param value a figure, as {@link StepKind} tells; else 0
 * @param text a name, as {@link StepKind} tells; else empty
 * @param failure how the call failed, or {@link StepFailure#NONE}
 * @param fault what a fault plan did to its work, or {@link StepFault#NONE}
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

  /** A call that concerns nothing yet. */
  public static Step of(int number, int thread, StepKind kind) {
    Objects.requireNonNull(kind, "kind");
    return new StepDraft(number, thread, kind).step();
  }

  /** Returns whether a question was answered with yes. */
  @JsonIgnore
  public boolean isYes() {
    return kind.isQuery() && value == 1;
  }

  /** The numbers of all that earlier steps must have made. */
  public Stream<Integer> needs() {
    return Stream.concat(
        uses.stream(),
        Stream.concat(reads.stream(), writes.stream())
            .map(ByteRange::operand)
            .filter(operand -> operand != ByteRange.NOWHERE));
  }

  /** A copy with changes. */
  private Step with(Consumer<StepDraft> change) {
    StepDraft copy = new StepDraft(this);
    change.accept(copy);
    return copy.step();
  }

  /** Another call that touches the same. */
  public Step of(StepKind other) {
    Objects.requireNonNull(other, "other");
    return with(copy -> copy.kind = other);
  }

  /** The same call by another thread. */
  public Step by(int other) {
    return with(copy -> copy.thread = other);
  }

  /** The same call on another device. */
  Step on(int other) {
    return with(copy -> copy.device = other);
  }

  /** The same call, which makes something of that number. */
  public Step making(int other) {
    return with(copy -> copy.makes = other);
  }

  /** The same call on other operands, in the order of the kind's roles. */
  public Step using(List<Integer> others) {
    Objects.requireNonNull(others, "others");
    return with(copy -> copy.uses = others);
  }

  /** The same call, which fails and so makes nothing. */
  public Step failing(StepFailure end) {
    Objects.requireNonNull(end, "end");
    return with(copy -> copy.fails(end));
  }

  /** The same call with another figure. */
  public Step valued(long other) {
    return with(copy -> copy.value = other);
  }

  /** The same call with another name. */
  public Step named(String other) {
    Objects.requireNonNull(other, "other");
    return with(copy -> copy.text = other);
  }

  /** The same call, to whose work a fault plan does something else. */
  public Step suffering(StepFault other) {
    Objects.requireNonNull(other, "other");
    return with(copy -> copy.fault = other);
  }

  /** The same call on other bytes. */
  public Step touching(List<ByteRange> otherReads, List<ByteRange> otherWrites) {
    Objects.requireNonNull(otherReads, "otherReads");
    Objects.requireNonNull(otherWrites, "otherWrites");
    return with(
        copy -> {
          copy.reads = otherReads;
          copy.writes = otherWrites;
        });
  }

  /** The same call with each range changed. */
  public Step mapRanges(UnaryOperator<ByteRange> change) {
    Objects.requireNonNull(change, "change");
    return touching(reads.stream().map(change).toList(), writes.stream().map(change).toList());
  }

  /** The same call on other operands. */
  public Step mapOperands(IntUnaryOperator change) {
    Objects.requireNonNull(change, "change");
    return using(uses.stream().map(change::applyAsInt).toList())
        .mapRanges(range -> range.in(change.applyAsInt(range.operand())));
  }

  /** The first range that it reads. */
  ByteRange source() {
    return reads.get(0);
  }

  /** The first range that it writes, hands out or takes away. */
  ByteRange target() {
    return writes.get(0);
  }

  /** Returns whether it has all that its call is given; operands that it names may be missing. */
  boolean isWhole() {
    return (!kind.hasSource() || !reads.isEmpty())
        && (!kind.hasTarget() || !writes.isEmpty())
        && pinned().noneMatch(range -> range.operand() == ByteRange.NOWHERE);
  }

  /** The ranges that must lie in a page-locked buffer. */
  Stream<ByteRange> pinned() {
    return Stream.concat(
        kind.isFromPinned() ? reads.stream() : Stream.empty(),
        kind.isIntoPinned() ? writes.stream() : Stream.empty());
  }

  /** Returns the part of a page-locked buffer that the host has written through views before it. */
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

  /** Equal to what a file leaves out. */
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
}
