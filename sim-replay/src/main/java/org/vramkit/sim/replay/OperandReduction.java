package org.vramkit.sim.replay;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Removes streams, events and memory with their uses, and merges pairs of streams, events or
 * threads.
 */
final class OperandReduction {
  private final Trial trial;

  OperandReduction(Trial trial) {
    this.trial = trial;
  }

  /** Removes the steps that make operands; the runner skips the steps that use them. */
  void drop() {
    DeltaDebugging.minimize(
        () -> trial.steps().stream().map(Step::makes).filter(made -> made != 0).toList(),
        kept -> {
          Set<Integer> left = new HashSet<>(kept);
          return trial.accepts(
              trial.steps().stream()
                  .filter(step -> step.makes() == 0 || left.contains(step.makes()))
                  .toList());
        });
  }

  /** Merges pairs of operands into the first. */
  void merge(OperandKind kind) {
    for (int first = 0; first < made(kind).size(); first++) {
      for (int second = first + 1; second < made(kind).size(); ) {
        if (!replace(made(kind).get(second), made(kind).get(first))) {
          second++;
        }
      }
    }
  }

  private List<Step> made(OperandKind kind) {
    return trial.steps().stream()
        .filter(step -> step.makes() != 0 && step.kind().getMade() == kind)
        .toList();
  }

  private boolean replace(Step old, Step other) {
    return old.device() == other.device()
        && trial.accepts(
            trial.steps().stream()
                .filter(step -> step.makes() != old.makes())
                .map(step -> step.mapOperands(use -> use == old.makes() ? other.makes() : use))
                .toList());
  }

  /** Merges pairs of host threads into the first. */
  void mergeThreads() {
    int threads = trial.best().threads().size();
    for (int first = 0; first < threads; first++) {
      for (int second = first + 1; second < threads; second++) {
        int kept = first;
        int gone = second;
        trial.accepts(
            trial.steps().stream()
                .filter(step -> !isEndOf(step, kept) && !isEndOf(step, gone))
                .map(step -> step.thread() == gone ? step.by(kept) : step)
                .toList());
      }
    }
  }

  private static boolean isEndOf(Step step, int thread) {
    return step.kind() == StepKind.END_THREAD && step.thread() == thread;
  }

  /** Drops the devices after the last used one. */
  void dropDevices() {
    ProgramSetup setup = trial.best().setup();
    int used =
        1
            + trial.steps().stream()
                .flatMapToInt(
                    step ->
                        step.kind().isAboutTwoDevices()
                            ? IntStream.of(step.device(), (int) step.value())
                            : IntStream.of(step.device()))
                .max()
                .orElse(0);
    if (used < setup.devices().size()) {
      trial.accepts(trial.best().on(setup.withDevices(setup.devices().subList(0, used))));
    }
  }
}
