package org.vramkit.sim.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.HazardReport;

/** The steps of a program with a report, which can be changed. */
abstract class ReportedSteps {
  final ReportedRun run;
  final HazardReport report;
  final List<Step> steps;
  private int operands;
  private int numbers;

  ReportedSteps(ReportedRun run, HazardReport report) {
    this.run = run;
    this.report = report;
    this.steps = new ArrayList<>(run.program().steps());
    this.operands = steps.stream().mapToInt(Step::makes).max().orElse(0);
    this.numbers = steps.stream().mapToInt(Step::number).max().orElse(0);
  }

  static boolean begins(String words, String... beginnings) {
    return Stream.of(beginnings).anyMatch(words::startsWith);
  }

  final int newOperand() {
    return ++operands;
  }

  /** Returns the index of the step of an access. */
  int indexOf(Access access) {
    int number = ReportedRun.numberOf(access);
    return indexOf(step -> step.number() == number);
  }

  int indexOf(Predicate<Step> wanted) {
    for (int i = 0; i < steps.size(); i++) {
      if (wanted.test(steps.get(i))) {
        return i;
      }
    }
    throw new IllegalStateException("no such step");
  }

  /** Returns the index of the last step before another one that is wanted; -1 for none. */
  int lastBefore(int index, Predicate<Step> wanted) {
    int at = index - 1;
    while (at >= 0 && !wanted.test(steps.get(at))) {
      at--;
    }
    return at;
  }

  /** Returns the earlier access, of a report that has one. */
  Access first() {
    return Objects.requireNonNull(report.earlier(), "the report has no earlier access");
  }

  int earlier() {
    return indexOf(first());
  }

  int later() {
    return outermost(indexOf(report.later()));
  }

  /** Returns the step of the host that a step belongs to: itself, or that of its function. */
  int outermost(int index) {
    int inside = steps.get(index).inside();
    return inside == 0 ? index : indexOf(step -> step.number() == inside);
  }

  /** Returns the step that was captured for an access of a launch; the step itself for others. */
  int captured(int index, Access access) {
    Step launch = steps.get(index);
    if (launch.kind() != StepKind.LAUNCH_GRAPH) {
      return index;
    }
    int end = indexOf(step -> step.makes() == (int) launch.uses().get(0));
    String name = access.operation().replaceAll("^kernel | of graph .*", "");
    int found =
        lastBefore(
            end,
            step ->
                step.text().equals(name) || step.kind().getWord().replace('-', ' ').equals(name));
    return found < 0 ? index : found;
  }

  /** Returns the stream of a step. */
  int streamOf(int index) {
    Step step = steps.get(index);
    return step.uses().get(step.kind().getRoles().indexOf(OperandKind.STREAM));
  }

  /** Returns the stream of an access, which a branch of a graph has from the launch. */
  int streamOf(Access access) {
    Integer named = run.streams().get(access.stream());
    return named == null ? streamOf(outermost(indexOf(access))) : named;
  }

  int deviceOf(int operand) {
    return steps.get(indexOf(step -> step.makes() == operand)).device();
  }

  Step made(StepKind kind, int thread, int device, Integer... uses) {
    return Step.of(++numbers, thread, kind).on(device).using(List.of(uses));
  }

  void insert(int at, Step step) {
    steps.add(at, step);
  }

  /** Makes a stream wait, from a step on, for the work that another one has after a step. */
  void order(int after, int user, int before, int waiting) {
    int event = newOperand();
    int thread = steps.get(before).thread();
    int device = deviceOf(user);
    insert(before, made(StepKind.WAIT_FOR_EVENT, thread, deviceOf(waiting), waiting, event));
    insert(after + 1, made(StepKind.RECORD_EVENT, thread, device, event, user));
    insert(after + 1, made(StepKind.CREATE_EVENT, thread, device).making(event));
  }

  void synchronize(int stream, int before) {
    int thread = steps.get(before).thread();
    insert(before, made(StepKind.SYNCHRONIZE_STREAM, thread, deviceOf(stream), stream));
  }

  void move(int from, int to) {
    Step moved = steps.remove(from);
    steps.add(to, moved);
  }

  /** Returns the range of a step that contains the bytes of the report. */
  ByteRange range(Step step) {
    return Stream.concat(step.reads().stream(), step.writes().stream())
        .filter(range -> addressOf(range) <= report.address() && report.address() <= endOf(range))
        .findFirst()
        .orElseThrow();
  }

  /** Returns an address in the accesses of the report for the start of a range of a step. */
  long addressOf(ByteRange range) {
    return report.later().address() + range.offset() - laterStart(range);
  }

  long endOf(ByteRange range) {
    return addressOf(range) + range.bytes();
  }

  long laterStart(ByteRange range) {
    Step step = steps.get(indexOf(report.later()));
    return Stream.concat(step.reads().stream(), step.writes().stream())
        .filter(other -> other.operand() == range.operand())
        .filter(other -> other.bytes() == report.later().bytes() || other.bytes() == 0)
        .mapToLong(ByteRange::offset)
        .findFirst()
        .orElse(range.offset());
  }

  /** Returns a stream of a device, made at the beginning if the program makes none. */
  int streamOfDevice(int device) {
    Predicate<Step> isStream =
        each -> each.kind().getMade() == OperandKind.STREAM && each.device() == device;
    if (steps.stream().noneMatch(isStream)) {
      insert(
          0, made(StepKind.CREATE_NAMED_STREAM, 0, device).making(newOperand()).named("another"));
    }
    return steps.get(indexOf(isStream)).makes();
  }
}
