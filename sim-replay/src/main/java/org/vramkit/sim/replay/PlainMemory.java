package org.vramkit.sim.replay;

import java.util.List;
import java.util.stream.Stream;

/**
 * Replaces reserved addresses and the memory mapped at them by a plain allocation, if the report
 * does not depend on the mappings. So four calls of a pool become one.
 */
final class PlainMemory {
  private final Trial trial;

  PlainMemory(Trial trial) {
    this.trial = trial;
  }

  void reduce() {
    for (Step step : List.copyOf(trial.steps())) {
      if (step.kind() == StepKind.RESERVE) {
        allocate(step.makes());
      }
    }
  }

  /**
   * Replaces a reservation by an allocation of its used part. The steps of its physical memory are
   * removed later, with other unneeded steps.
   */
  private void allocate(int operand) {
    List<ByteRange> used =
        trial.steps().stream()
            .filter(step -> !isMapping(step.kind()) && step.kind() != StepKind.UNRESERVE)
            .flatMap(step -> Stream.concat(step.reads().stream(), step.writes().stream()))
            .filter(range -> range.operand() == operand)
            .toList();
    long start = used.stream().mapToLong(ByteRange::offset).min().orElse(0);
    long end = used.stream().mapToLong(range -> range.offset() + range.bytes()).max().orElse(0);
    long bytes = Math.max(1, end - start);
    trial.accepts(
        trial.steps().stream()
            .filter(step -> !(isMapping(step.kind()) && isAbout(step, operand)))
            .map(step -> plain(step, operand, bytes))
            .map(step -> step.mapRanges(range -> moved(range, operand, start)))
            .toList());
  }

  private static Step plain(Step step, int operand, long bytes) {
    if (step.makes() == operand) {
      return step.of(StepKind.ALLOCATE).valued(bytes);
    }
    return step.kind() == StepKind.UNRESERVE && isAbout(step, operand)
        ? step.of(StepKind.FREE)
        : step;
  }

  private static ByteRange moved(ByteRange range, int operand, long start) {
    return range.operand() == operand
        ? new ByteRange(operand, Math.max(0, range.offset() - start), range.bytes())
        : range;
  }

  private static boolean isAbout(Step step, int operand) {
    return step.writes().stream().anyMatch(range -> range.operand() == operand);
  }

  private static boolean isMapping(StepKind kind) {
    return switch (kind) {
      case MAP, SET_ACCESS, REMOVE_ACCESS, UNMAP -> true;
      default -> false;
    };
  }
}
