package org.vramkit.sim.replay;

import java.nio.ByteBuffer;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.program.ByteRange;
import org.vramkit.sim.program.Step;

/** Steps that submit work. What kernels did to bytes is not known; which bytes, is. */
final class WorkSteps {
  private WorkSteps() {}

  /** Makes the call; whether it was one of these. */
  static boolean perform(Step step, Stage stage) {
    switch (step.kind()) {
      case LAUNCH, LAUNCH_ATOMIC -> stage.stream(step).launch(kernel(step, stage));
      case FILL -> {
        ByteRange target = step.writes().get(0);
        stage.stream(step).fill(stage.address(target), (byte) step.value(), target.bytes());
      }
      case COPY -> {
        ByteRange target = step.writes().get(0);
        long source = stage.address(step.reads().get(0));
        stage.stream(step).copy(stage.address(target), source, target.bytes());
      }
      case COPY_FROM_HOST -> {
        ByteRange target = step.writes().get(0);
        stage.stream(step).copyToDevice(stage.address(target), buffer(target));
      }
      case COPY_TO_HOST -> {
        ByteRange source = step.reads().get(0);
        stage.stream(step).copyToHost(buffer(source), stage.address(source));
      }
      case COPY_FROM_PINNED -> {
        ByteRange source = step.reads().get(0);
        long target = stage.address(step.writes().get(0));
        SimStream stream = stage.stream(step);
        if (step.value() == 1) {
          stage.writeByView(source);
        }
        stream.copyToDevice(target, stage.pinned(source), source.offset(), source.bytes());
      }
      case COPY_TO_PINNED -> {
        ByteRange target = step.writes().get(0);
        long source = stage.address(step.reads().get(0));
        SimStream stream = stage.stream(step);
        stream.copyToHost(stage.pinned(target), target.offset(), source, target.bytes());
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private static SimKernel kernel(Step step, Stage stage) {
    SimKernel.Builder kernel = SimKernel.named(step.text());
    KernelRanges ranges = KernelRanges.of(step);
    ranges.reads().forEach(range -> kernel.reads(stage.address(range), range.bytes()));
    ranges.writes().forEach(range -> kernel.writes(stage.address(range), range.bytes()));
    ranges.atomics().forEach(range -> kernel.atomics(stage.address(range), range.bytes()));
    if (step.value() >= 0) {
      kernel.taking(step.value());
    }
    if (stage.hasBody(step)) {
      Runnable body = stage.bodyOf(step);
      kernel.body(bytes -> body.run());
    }
    return kernel.build();
  }

  private static ByteBuffer buffer(ByteRange range) {
    return ByteBuffer.allocate(Math.toIntExact(range.bytes()));
  }
}
