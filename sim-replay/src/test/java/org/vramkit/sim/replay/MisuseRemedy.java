package org.vramkit.sim.replay;

import java.util.List;
import org.vramkit.sim.hazard.HazardReport;

/** Carries out remedies of calls that are wrong whatever the order of the work. */
class MisuseRemedy extends ReportedSteps {
  MisuseRemedy(ReportedRun run, HazardReport report) {
    super(run, report);
  }

  /** Carries out what is no matter of order. */
  void carryOutMisuse(String words) {
    int later = captured(indexOf(report.later()), report.later());
    Step step = steps.get(later);
    int thread = step.thread();
    if (begins(words, "free each", "fix the pool", "let it set a flag", "use sizes")) {
      steps.remove(later);
    } else if (begins(words, "free an allocation by its start")) {
      ByteRange target = step.target();
      steps.set(
          later,
          step.touching(List.of(), List.of(new ByteRange(target.operand(), 0, target.bytes()))));
    } else if (begins(words, "free memory through the device")) {
      steps.set(later, step.on(deviceOf(step.target().operand())));
    } else if (begins(words, "request more bytes", "begin at the first byte")) {
      steps.set(later, step.mapRanges(this::within));
    } else if (begins(words, "record the use before closing")) {
      move(later, earlier());
    } else if (begins(words, "write or fill the bytes")) {
      ByteRange range = range(step);
      long offset = range.offset() + report.address() - addressOf(range);
      insert(
          later,
          made(StepKind.FILL, thread, step.device(), streamOf(later))
              .touching(
                  List.of(), List.of(new ByteRange(range.operand(), offset, report.bytes()))));
    } else if (begins(words, "fill the page-locked buffer")) {
      int copy = lastBefore(later, each -> each.kind() == StepKind.COPY_FROM_PINNED);
      Step copied = steps.get(copy);
      insert(
          copy,
          made(StepKind.HOST_WRITES, thread, step.device()).touching(List.of(), copied.reads()));
    } else if (begins(words, "call setAccess after map")) {
      ByteRange used = range(step);
      long at = used.offset() + report.address() - addressOf(used);
      int map =
          lastBefore(
              later,
              each ->
                  each.kind() == StepKind.MAP
                      && each.target().operand() == used.operand()
                      && each.target().offset() <= at
                      && at < each.target().offset() + each.target().bytes());
      insert(
          map + 1,
          made(StepKind.SET_ACCESS, thread, step.device())
              .touching(List.of(), steps.get(map).writes())
              .valued(step.device()));
    } else if (begins(words, "call getPeerAccess().enable")) {
      int owner = deviceOf(range(step).operand());
      insert(later, made(StepKind.ENABLE_PEER, thread, step.device()).valued(owner));
    } else if (begins(words, "open the gate before waiting")) {
      int gate = steps.get(lastBefore(later, each -> each.kind() == StepKind.CREATE_GATE)).makes();
      insert(later, made(StepKind.OPEN_GATE, thread, 0, gate));
    } else if (begins(words, "launch inside try (DeviceBinding")) {
      int binding = newOperand();
      insert(later + 1, made(StepKind.UNBIND, thread, step.device(), binding));
      insert(later, made(StepKind.BIND, thread, step.device()).making(binding));
    } else if (begins(words, "resume the pool", "map memory first")) {
      remap(later);
    } else if (begins(words, "use the address of a live allocation")) {
      Step memory = steps.get(indexOf(each -> each.kind() == StepKind.ALLOCATE));
      steps.set(
          later,
          step.mapRanges(
              any -> new ByteRange(memory.makes(), 0, Math.min(any.bytes(), memory.value()))));
    } else {
      carryOutHandles(words, later, step);
    }
  }

  /** Maps new memory where the memory was unmapped last. */
  void remap(int later) {
    Step step = steps.get(later);
    Step unmap = steps.get(lastBefore(later, each -> each.kind() == StepKind.UNMAP));
    int physical = newOperand();
    insert(
        later,
        made(StepKind.SET_ACCESS, step.thread(), step.device())
            .touching(List.of(), unmap.writes())
            .valued(step.device()));
    insert(
        later,
        made(StepKind.MAP, step.thread(), step.device(), physical)
            .touching(List.of(), unmap.writes()));
    insert(
        later,
        made(StepKind.CREATE_PHYSICAL, step.thread(), step.device())
            .making(physical)
            .valued(unmap.target().bytes()));
  }

  /** Returns the part of a range that has an owner, where the report names the rest. */
  ByteRange within(ByteRange range) {
    long start = addressOf(range);
    if (range.bytes() != report.later().bytes()
        || report.address() < start
        || report.address() >= start + range.bytes()) {
      return range;
    }
    return report.address() == start
        ? new ByteRange(range.operand(), range.offset() + report.bytes(), 0)
        : new ByteRange(range.operand(), range.offset(), report.address() - start);
  }

  private void carryOutHandles(String words, int later, Step step) {
    if (begins(words, "close it after its last use")) {
      int close =
          lastBefore(
              later,
              each ->
                  each.kind().name().startsWith("CLOSE_")
                      && step.uses().contains(each.uses().get(0)));
      if (close < 0) {
        finishFunction(later, step);
      } else {
        move(close, later);
      }
    } else if (begins(words, "record the event before making a stream wait")) {
      int event = step.uses().get(1);
      steps.removeIf(each -> each.kind() == StepKind.RECORD_EVENT && each.uses().get(0) == event);
      int at = steps.indexOf(step);
      insert(
          at,
          made(
              StepKind.RECORD_EVENT,
              step.thread(),
              deviceOf(event),
              event,
              streamOfDevice(deviceOf(event))));
    } else if (begins(words, "record an event on a stream of its own device")) {
      int event = step.uses().get(0);
      int stream = streamOfDevice(deviceOf(event));
      steps.set(steps.indexOf(step), step.using(List.of(event, stream)));
    } else if (begins(words, "if one thread waits for the other")) {
      handOver(later, step);
    } else if (begins(words, "let the pool keep blocks of a capture")) {
      steps.remove(
          lastBefore(
              later,
              each ->
                  each.kind() == StepKind.TELL_ALLOCATED
                      || each.kind() == StepKind.TELL_ALLOCATED_ON_HOST));
    } else if (begins(words, "copy through other memory")) {
      long distance = Math.abs(step.target().offset() - step.source().offset());
      steps.set(
          later, step.mapRanges(range -> new ByteRange(range.operand(), range.offset(), distance)));
    } else {
      throw new IllegalStateException("no machine for the remedy: " + words);
    }
  }

  /** Waits for a host function before the close of a buffer in which the function began. */
  private void finishFunction(int later, Step use) {
    int close =
        indexOf(
            each ->
                each.kind() == StepKind.CLOSE_PINNED
                    && use.reads().stream()
                        .anyMatch(range -> range.operand() == each.uses().get(0)));
    synchronize(streamOf(outermost(later)), close);
  }

  /** Hands over from the thread that has waited last to that of the later access. */
  void handOver(int later, Step step) {
    int wait =
        lastBefore(
            later,
            each ->
                each.thread() != step.thread()
                    && (each.kind() == StepKind.SYNCHRONIZE_STREAM
                        || each.kind() == StepKind.SYNCHRONIZE_DEVICE
                        || each.kind() == StepKind.SYNCHRONIZE_EVENT));
    int handOff = newOperand();
    int waiter = steps.get(wait).thread();
    insert(later, made(StepKind.RECEIVE, step.thread(), 0, handOff));
    insert(wait + 1, made(StepKind.PUBLISH, waiter, 0, handOff));
    insert(wait + 1, made(StepKind.CREATE_HAND_OFF, waiter, 0).making(handOff));
  }
}
