package org.vramkit.sim.replay;

import java.util.List;

/** Ranges that a kernel of a step touches, by how it does so. */
record KernelRanges(List<ByteRange> reads, List<ByteRange> writes, List<ByteRange> atomics) {

  static KernelRanges of(Step step) {
    if (step.kind() != StepKind.LAUNCH_ATOMIC) {
      return new KernelRanges(step.reads(), step.writes(), List.of());
    }
    List<ByteRange> both = step.reads().stream().filter(step.writes()::contains).toList();
    return new KernelRanges(without(step.reads(), both), without(step.writes(), both), both);
  }

  private static List<ByteRange> without(List<ByteRange> ranges, List<ByteRange> others) {
    return ranges.stream().filter(range -> !others.contains(range)).toList();
  }
}
