package org.vramkit.sim.replay;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.api.units.Count;
import org.vramkit.sim.SimBackend;

/**
 * The recorded calls to a simulator, as steps in the order of the calls. The order is unique,
 * because the simulator takes one call at a time, from any thread. Immutable.
 *
 * @param setup the simulator on which the program runs
 * @param threads the host threads, in the order of their first steps
 * @param steps the calls
 * @param complete whether all calls are included; false if recording stopped at its limit
 */
public record Program(
    ProgramSetup setup, List<ProgramThread> threads, List<Step> steps, boolean complete) {

  /** Copies the lists, and checks the references of steps. */
  public Program {
    Objects.requireNonNull(setup, "setup");
    Objects.requireNonNull(threads, "threads");
    Objects.requireNonNull(steps, "steps");
    threads = List.copyOf(threads);
    steps = List.copyOf(steps);
    check(setup, threads, steps);
  }

  private static void check(ProgramSetup setup, List<ProgramThread> threads, List<Step> steps) {
    Map<Integer, OperandKind> made = new HashMap<>();
    for (Step step : steps) {
      StepChecks.require(
          step.thread() >= 0 && step.thread() < threads.size(),
          step,
          "a thread from 0 to " + (threads.size() - 1) + ", not " + step.thread());
      StepChecks.require(
          step.device() >= 0 && step.device() < setup.devices().size(),
          step,
          "a device from 0 to " + (setup.devices().size() - 1) + ", not " + step.device());
      StepChecks.require(
          step.failure().isFailed()
              || !step.kind().isAboutTwoDevices()
              || (step.value() >= 0 && step.value() < setup.devices().size()),
          step,
          "a device from 0 to "
              + (setup.devices().size() - 1)
              + " as its value, not "
              + step.value());
      List<OperandKind> roles = step.kind().getRoles();
      StepChecks.require(
          step.uses().size() == roles.size(),
          step,
          Count.of(roles.size(), "operand") + " " + roles + ", not " + step.uses().size());
      for (int i = 0; i < roles.size(); i++) {
        OperandKind kind = made.get(step.uses().get(i));
        StepChecks.require(
            kind == null || kind == roles.get(i),
            step,
            "a " + roles.get(i).getWord() + " for operand " + step.uses().get(i) + ", not " + kind);
      }
      OperandKind makes = step.kind().getMade();
      StepChecks.require(
          (step.makes() != 0) == (makes != OperandKind.NOTHING && !step.failure().isFailed()),
          step,
          makes == OperandKind.NOTHING ? "no number for a result" : "a number for its result");
      if (step.makes() != 0) {
        StepChecks.require(
            step.makes() > 0 && made.put(step.makes(), makes) == null,
            step,
            "a number above 0 that no other step has made, not " + step.makes());
      }
    }
  }

  /**
   * Returns the calls to a simulator so far.
   *
   * @throws NotSupportedException if it was built without {@link
   *     org.vramkit.sim.SimBackend.Builder#recorder}
   * @throws InvalidArgumentException if its recorder is not a {@link ProgramRecorder}
   */
  public static Program of(SimBackend backend) {
    Objects.requireNonNull(backend, "backend");
    ProgramSetup setup = ProgramSetup.of(backend);
    return backend.askRecorder(
        recorder -> {
          if (recorder instanceof ProgramRecorder steps) {
            return steps.toProgram(setup);
          }
          throw new InvalidArgumentException(
              "the simulator was built with " + recorder + "; build it with a ProgramRecorder");
        });
  }

  /** Returns a program with the same steps and another setup. */
  public Program on(ProgramSetup other) {
    Objects.requireNonNull(other, "other");
    return new Program(other, threads, steps, complete);
  }

  /** Returns a program with other steps and the same setup. */
  public Program with(List<Step> others) {
    Objects.requireNonNull(others, "others");
    return new Program(setup, threads, others, complete);
  }

  /** Returns a copy without threads that make no call. */
  public Program withoutIdleThreads() {
    List<Integer> busy =
        steps.stream()
            .filter(step -> step.kind() != StepKind.END_THREAD)
            .map(Step::thread)
            .distinct()
            .sorted()
            .toList();
    return new Program(
        setup,
        busy.stream().map(threads::get).toList(),
        steps.stream()
            .filter(step -> busy.contains(step.thread()))
            .map(step -> step.by(busy.indexOf(step.thread())))
            .toList(),
        complete);
  }

  /**
   * Stores the program as JSON, and replaces the file.
   *
   * @throws InvalidArgumentException if the file cannot be written
   */
  public void store(Path file) {
    Objects.requireNonNull(file, "file");
    ProgramFiles.write(this, file);
  }

  /**
   * Reads a stored program.
   *
   * @throws InvalidArgumentException if the file cannot be read or holds no program
   */
  public static Program load(Path file) {
    Objects.requireNonNull(file, "file");
    return ProgramFiles.read(file);
  }

  /** Returns the steps, one on each line. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    steps.forEach(step -> text.append(step).append('\n'));
    if (!complete) {
      text.append("(recording stopped here, at its limit)\n");
    }
    return text.toString();
  }
}
