package org.vramkit.sim.replay;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.vramkit.api.device.DriverPoolReuse;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.driver.DriverFunction;

/**
 * Refuses stored steps that cannot run. The step of a failed call may lack parts: its address may
 * have no owner, or its buffer may belong to another simulator.
 */
final class StepChecks {
  private final Map<Integer, OperandKind> made = new HashMap<>();

  void check(Step step) {
    require(step.number() > 0, step, "a number above 0, not " + step.number());
    if (step.failure().planned()) {
      DriverFunction.of(step.failure().function());
    }
    if (!step.failure().isFailed()) {
      checkWhole(step);
    }
    if (step.makes() != 0) {
      made.put(step.makes(), step.kind().getMade());
    }
  }

  private void checkWhole(Step step) {
    StepKind kind = step.kind();
    require(step.isWhole(), step, ranges(kind));
    step.needs()
        .filter(operand -> operand != 0 && !made.containsKey(operand))
        .findFirst()
        .ifPresent(
            operand -> require(false, step, "operands that earlier steps made, not #" + operand));
    step.reads().forEach(range -> checkRange(step, range));
    step.writes().forEach(range -> checkRange(step, range));
    step.pinned()
        .forEach(
            range ->
                require(
                    made.get(range.operand()) == OperandKind.PINNED,
                    step,
                    "a range in a pinned buffer, not in #" + range.operand()));
    checkValue(step);
    if (kind == StepKind.CREATE_STREAM) {
      checkConstant(step, StreamKind.values());
    } else if (kind == StepKind.SET_POOL_REUSE) {
      checkConstant(step, DriverPoolReuse.values());
    }
  }

  /** Describes the ranges that a step of a kind needs. */
  private static String ranges(StepKind kind) {
    String wanted =
        kind.hasSource() && kind.hasTarget()
            ? "a range to read and one to write"
            : kind.hasSource() ? "a range to read" : "a range to write";
    return kind.isFromPinned() || kind.isIntoPinned() ? wanted + ", in a pinned buffer" : wanted;
  }

  private void checkRange(Step step, ByteRange range) {
    boolean inBuffer =
        step.kind() == StepKind.COPY_FROM_HOST
            || step.kind() == StepKind.COPY_TO_HOST
            || step.kind() == StepKind.VIEW_PINNED;
    long most = inBuffer ? Integer.MAX_VALUE : Long.MAX_VALUE;
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

  private static void checkValue(Step step) {
    long value = step.value();
    switch (step.kind()) {
      case LAUNCH, LAUNCH_ATOMIC ->
          require(value >= -1, step, "a duration of 0 ns or more, or -1 for none, not " + value);
      case FILL -> require(value == (byte) value, step, "a byte from -128 to 127, not " + value);
      default -> require(value >= 0, step, "a value of 0 or more, not " + value);
    }
  }

  private static void checkConstant(Step step, Enum<?>[] known) {
    require(
        Arrays.stream(known).anyMatch(constant -> constant.name().equals(step.text())),
        step,
        "one of " + Arrays.toString(known) + ", not '" + step.text() + "'");
  }

  static void require(boolean holds, Step step, String wanted) {
    if (!holds) {
      throw new InvalidArgumentException(
          "step " + step + " needs " + wanted + "; record the program again");
    }
  }
}
