package org.vramkit.sim.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Halves memory and ranges, and removes ranges of kernels. */
final class RangeReduction {
  private final Trial trial;

  RangeReduction(Trial trial) {
    this.trial = trial;
  }

  void reduce() {
    for (int at = 0; at < trial.steps().size(); at++) {
      dropRanges(at);
      untilRefused(at, RangeReduction::withoutOffsets);
      untilRefused(at, RangeReduction::atHalfOffsets);
      untilRefused(at, RangeReduction::ofHalfLength);
      untilRefused(at, RangeReduction::withoutDuration);
      untilRefused(at, step -> step.suffering(StepFault.NONE));
    }
    // Halves memory together with its accesses, then memory alone.
    for (Step maker : List.copyOf(trial.steps())) {
      if (maker.kind().isSized()) {
        while (halve(maker.makes())) {}
      }
    }
    for (int at = 0; at < trial.steps().size(); at++) {
      untilRefused(at, RangeReduction::ofHalfSize);
    }
  }

  /** Removes ranges of a kernel; other calls cannot do without theirs. */
  private void dropRanges(int at) {
    for (int i = 0; isLaunch(at) && i < trial.steps().get(at).reads().size(); ) {
      Step step = trial.steps().get(at);
      if (!accepts(at, step.touching(without(step.reads(), i), step.writes()))) {
        i++;
      }
    }
    for (int i = 0; isLaunch(at) && i < trial.steps().get(at).writes().size(); ) {
      Step step = trial.steps().get(at);
      if (!accepts(at, step.touching(step.reads(), without(step.writes(), i)))) {
        i++;
      }
    }
  }

  private boolean isLaunch(int at) {
    return at < trial.steps().size() && trial.steps().get(at).kind().isLaunch();
  }

  private static List<ByteRange> without(List<ByteRange> ranges, int index) {
    List<ByteRange> rest = new ArrayList<>(ranges);
    rest.remove(index);
    return rest;
  }

  /** Applies a change to a step again and again, while the shorter program gives the report. */
  private void untilRefused(int at, UnaryOperator<Step> change) {
    while (at < trial.steps().size()) {
      Step step = trial.steps().get(at);
      Step changed = change.apply(step);
      if (changed.equals(step) || !accepts(at, changed)) {
        return;
      }
    }
  }

  private boolean accepts(int at, Step changed) {
    List<Step> steps = new ArrayList<>(trial.steps());
    steps.set(at, changed);
    return trial.accepts(steps);
  }

  private static Step withoutOffsets(Step step) {
    return step.mapRanges(
        range -> isPlaced(range) ? new ByteRange(range.operand(), 0, range.bytes()) : range);
  }

  private static Step atHalfOffsets(Step step) {
    return step.mapRanges(
        range ->
            isPlaced(range)
                ? new ByteRange(range.operand(), range.offset() / 2, range.bytes())
                : range);
  }

  private static Step ofHalfLength(Step step) {
    return step.mapRanges(
        range -> new ByteRange(range.operand(), range.offset(), half(range.bytes())));
  }

  private static Step withoutDuration(Step step) {
    return step.kind().isLaunch() ? step.valued(-1) : step;
  }

  private static Step ofHalfSize(Step step) {
    return step.kind().isSized() ? step.valued(half(step.value())) : step;
  }

  private boolean halve(int operand) {
    return trial.accepts(
        trial.steps().stream()
            .map(step -> step.makes() == operand ? ofHalfSize(step) : step)
            .map(
                step ->
                    step.mapRanges(
                        range ->
                            range.operand() == operand
                                ? new ByteRange(operand, range.offset() / 2, half(range.bytes()))
                                : range))
            .toList());
  }

  private static boolean isPlaced(ByteRange range) {
    return range.operand() != ByteRange.NOWHERE;
  }

  /** Returns half of a size, but at least 1 of a size above 0. */
  private static long half(long bytes) {
    return bytes > 1 ? bytes / 2 : bytes;
  }
}
