package org.vramkit.sim.program;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.driver.DriverFunction;

/**
 * What a step must tell, so that its call can be made again. A recorded call that failed may tell
 * less: it may have been given an address of nobody, or a buffer of another simulator.
 */
public final class StepShape {
  private StepShape() {}

  /** Whether a step tells all that its call is given; the operands that it names may be missing. */
  public static boolean isWhole(Step step) {
    Objects.requireNonNull(step, "step");
    return step.reads().size() >= reads(step.kind())
        && step.writes().size() >= writes(step.kind())
        && pinned(step).stream().allMatch(range -> range.operand() != ByteRange.NOWHERE);
  }

  private static int reads(StepKind kind) {
    return switch (kind) {
      case COPY, COPY_TO_HOST, COPY_FROM_PINNED, COPY_TO_PINNED, VIEW_PINNED, HOST_READS -> 1;
      default -> 0;
    };
  }

  private static int writes(StepKind kind) {
    return switch (kind) {
      case FILL,
          COPY,
          COPY_FROM_HOST,
          COPY_FROM_PINNED,
          COPY_TO_PINNED,
          HOST_WRITES,
          HOST_CHANGES,
          FREE,
          POOL_FREE,
          UNRESERVE,
          MAP,
          SET_ACCESS,
          UNMAP,
          TELL_ALLOCATED,
          TELL_USED,
          TELL_FREED,
          TELL_SEGMENT_TAKEN,
          TELL_SEGMENT_GIVEN_BACK,
          TELL_ALLOCATED_ON_HOST,
          TELL_FREED_ON_HOST ->
          1;
      default -> 0;
    };
  }

  /** The ranges that must lie in a page-locked buffer. */
  private static List<ByteRange> pinned(Step step) {
    return switch (step.kind()) {
      case COPY_FROM_PINNED, VIEW_PINNED, HOST_READS -> step.reads();
      case COPY_TO_PINNED, HOST_WRITES, HOST_CHANGES -> step.writes();
      default -> List.of();
    };
  }

  /**
   * Refuses a step that cannot be run, but for one that is known to fail.
   *
   * @param made what earlier steps have made, by its number
   * @param devices how many devices the program has
   */
  static void require(Step step, Map<Integer, OperandKind> made, int devices) {
    require(step.number() > 0, step, "a number above 0, not " + step.number());
    if (step.failure().planned()) {
      DriverFunction.of(step.failure().function());
    }
    if (step.failure().isFailed()) {
      return;
    }
    require(
        isWhole(step),
        step,
        String.format(
            Locale.ROOT,
            "%d ranges to read and %d to write, in a pinned buffer where it is about one",
            reads(step.kind()),
            writes(step.kind())));
    step.needs()
        .filter(operand -> operand != 0 && !made.containsKey(operand))
        .findFirst()
        .ifPresent(
            operand -> require(false, step, "operands that earlier steps made, not #" + operand));
    step.reads().forEach(range -> requireRange(step, range, made));
    step.writes().forEach(range -> requireRange(step, range, made));
    for (ByteRange range : pinned(step)) {
      requireKind(step, range, made, OperandKind.PINNED);
    }
    requireValue(step, devices);
    requireText(step);
  }

  private static void requireRange(Step step, ByteRange range, Map<Integer, OperandKind> made) {
    boolean toHost =
        step.kind() == StepKind.COPY_FROM_HOST
            || step.kind() == StepKind.COPY_TO_HOST
            || step.kind() == StepKind.VIEW_PINNED;
    long most = toHost ? Integer.MAX_VALUE : Long.MAX_VALUE;
    require(
        range.bytes() >= 0 && range.bytes() <= most,
        step,
        "ranges of 0 to " + most + " bytes, not " + range.bytes());
    if (range.operand() != ByteRange.NOWHERE) {
      OperandKind kind = made.get(range.operand());
      require(
          kind != null && kind.hasAddresses(),
          step,
          "ranges in memory, not in #" + range.operand() + ", which is a " + kind);
    }
  }

  private static void requireKind(
      Step step, ByteRange range, Map<Integer, OperandKind> made, OperandKind wanted) {
    require(
        made.get(range.operand()) == wanted,
        step,
        "a range in a " + wanted.getWord() + " buffer, not in #" + range.operand());
  }

  private static void requireValue(Step step, int devices) {
    long value = step.value();
    boolean valid =
        switch (step.kind()) {
          case LAUNCH, LAUNCH_ATOMIC -> value >= -1;
          case FILL -> value == (byte) value;
          case SET_ACCESS, SET_POOL_ACCESS, ENABLE_PEER, DISABLE_PEER ->
              value >= 0 && value < devices;
          default -> value >= 0;
        };
    require(valid, step, "another value than " + value);
  }

  private static void requireText(Step step) {
    if (step.kind() == StepKind.CREATE_STREAM) {
      requireConstant(step, StreamKind.values());
    } else if (step.kind() == StepKind.SET_POOL_REUSE) {
      requireConstant(step, DriverPoolReuse.values());
    }
  }

  private static void requireConstant(Step step, Enum<?>[] known) {
    require(
        Arrays.stream(known).anyMatch(constant -> constant.name().equals(step.text())),
        step,
        "one of " + Arrays.toString(known) + ", not '" + step.text() + "'");
  }

  private static void require(boolean holds, Step step, String wanted) {
    if (!holds) {
      throw new InvalidArgumentException(
          "step " + step + " needs " + wanted + "; record the program again");
    }
  }
}
