package org.vramkit.sim.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.vramkit.sim.hazard.HazardReport;

/** Carries out the remedy of a report: changes the steps of the program as the words say. */
public final class Remedy extends MisuseRemedy {
  private static final Pattern STREAM = Pattern.compile("stream \\S+ of device \\d+");

  private Remedy(ReportedRun run, HazardReport report) {
    super(run, report);
  }

  /** Returns the program after the remedy of a report; throws if the words are unknown. */
  public static Program carryOut(ReportedRun run, HazardReport report) {
    Remedy remedy = new Remedy(run, report);
    remedy.carryOut(report.remedy());
    return run.program().with(remedy.steps);
  }

  private List<Integer> streamsIn(String words) {
    List<Integer> found = new ArrayList<>();
    Matcher names = STREAM.matcher(words);
    while (names.find()) {
      found.add(run.streams().get(names.group()));
    }
    return found;
  }

  private void carryOut(String words) {
    if (words.contains("wait for it in the capture")) {
      orderReuseInCapture();
    } else if (begins(words, "record an event after the earlier operation")) {
      orderAccesses();
    } else if (begins(words, "order the function's stream and the other one by an event")) {
      orderFunction();
    } else if (begins(words, "record an event on the allocating stream")) {
      int later = later();
      order(later - 1, streamOf(first()), later, streamOf(report.later()));
    } else if (begins(words, "make the freeing stream wait for")) {
      waitForUsers(words);
    } else if (begins(words, "make the pool wait for", "have the pool wait", "make the block's")
        || words.contains("or have the pool wait for it")) {
      haveThePoolWait();
    } else if (begins(
        words, "record the use by recordUse", "close it after stream", "close it after the host")) {
      closeLater(words);
    } else if (begins(words, "open the gate that holds the work")) {
      openGate();
      synchronize(streamOf(first()), later());
    } else if (begins(words, "wait for the stream or the device before the free")) {
      int free = lastBefore(later(), step -> step.kind() == StepKind.FREE);
      synchronize(streamOf(first()), free);
    } else if (words.contains("wait for the device, because")) {
      int device = deviceOf(streamOf(first()));
      int at = hostAccess();
      insert(at, made(StepKind.SYNCHRONIZE_DEVICE, steps.get(at).thread(), device));
    } else if (begins(words, "wait for the stream", "wait first for the stream")) {
      synchronize(streamOf(first()), hostAccess());
    } else if (begins(words, "submit the ", "close the allocation", "close the buffer")) {
      useEarlier(words);
    } else if (begins(words, "let the thread access the bytes before")) {
      accessAfterFunction();
    } else {
      carryOutMisuse(words);
    }
  }

  private void orderAccesses() {
    int first = outermost(earlier());
    int second = later();
    if (first == second) {
      first = captured(first, first());
      second = captured(second, report.later());
      order(first, streamOf(first), second, streamOf(second));
    } else {
      order(first, streamOf(first()), second, streamOf(report.later()));
    }
  }

  /**
   * Makes the later stream wait for the earlier one, or the host if a pool allocates on the host.
   */
  private void haveThePoolWait() {
    int later = later();
    int user = streamOf(first());
    if (steps.get(later).kind().getRoles().contains(OperandKind.STREAM)) {
      order(later - 1, user, later, streamOf(report.later()));
    } else {
      synchronize(user, later);
    }
  }

  /** Orders, in a capture, the allocation of a block after the use of its memory before. */
  private void orderReuseInCapture() {
    int first = captured(outermost(earlier()), first());
    int again = later();
    if (steps.get(again).kind() == StepKind.LAUNCH_GRAPH) {
      int graph = steps.get(again).uses().get(0);
      int end = indexOf(step -> step.makes() == graph);
      again = lastBefore(end, step -> step.kind() == StepKind.TELL_ALLOCATED);
    }
    if (first < again) {
      order(first, streamOf(first), again, streamOf(again));
    } else {
      order(outermost(earlier()), streamOf(outermost(earlier())), later(), streamOf(later()));
    }
  }

  private void orderFunction() {
    int one = outermost(earlier());
    int other = later();
    int first = Math.min(one, other);
    int second = Math.max(one, other);
    order(first, streamOf(first), second, streamOf(second));
  }

  private void waitForUsers(String words) {
    int later = later();
    int memory = steps.get(later).target().operand();
    List<Integer> users =
        words.contains("every stream")
            ? steps.subList(0, later).stream()
                .filter(step -> step.kind().getRoles().contains(OperandKind.STREAM))
                .filter(step -> step.needs().anyMatch(need -> need == memory))
                .map(step -> streamOf(steps.indexOf(step)))
                .distinct()
                .toList()
            : Stream.concat(Stream.of(streamOf(first())), streamsIn(words).stream()).toList();
    int freeing = streamOf(later);
    for (int user : users) {
      if (user != freeing) {
        order(later - 1, user, later, freeing);
        later += 3;
      }
    }
  }

  private void closeLater(String words) {
    int close = later();
    Step step = steps.get(close);
    int user = streamOf(first());
    if (words.startsWith("record the use")) {
      insert(
          close,
          made(StepKind.TELL_USED, step.thread(), step.device(), user)
              .touching(List.of(), step.writes()));
    } else if (words.contains("the host waits")) {
      synchronize(user, close);
    } else {
      order(close - 1, user, close, streamOf(close));
    }
  }

  /** Opens the gate of the earlier access's stream before the later one. */
  private void openGate() {
    int later = later();
    int user = streamOf(first());
    int waits =
        lastBefore(
            later, step -> step.kind() == StepKind.WAIT_FOR_GATE && step.uses().get(0) == user);
    int gate = steps.get(waits).uses().get(1);
    steps.removeIf(step -> step.kind() == StepKind.OPEN_GATE && step.uses().get(0) == gate);
    insert(later, made(StepKind.OPEN_GATE, steps.get(later).thread(), 0, gate));
  }

  /** Returns the step of the later access; of a write through a view, that of the write. */
  private int hostAccess() {
    int later = later();
    if (!report.later().operation().equals("write through a view")) {
      return later;
    }
    int change = lastBefore(later + 1, step -> step.kind() == StepKind.HOST_CHANGES);
    return change < 0 ? later : change;
  }

  private void useEarlier(String words) {
    int use = later();
    int free =
        report.earlier() == null
            ? lastBefore(use, step -> step.kind() == StepKind.UNMAP)
            : outermost(earlier());
    Step freeing = steps.get(free);
    move(use, free);
    int user = streamOf(free);
    int close = free + 1;
    List<Integer> named = streamsIn(words);
    if (words.contains("in between") || words.contains("and waiting for")) {
      synchronize(named.get(0), close);
    }
    if (words.contains("record the use")) {
      insert(
          close,
          made(StepKind.TELL_USED, freeing.thread(), freeing.device(), user)
              .touching(List.of(), freeing.writes()));
    }
    if (words.contains("wait for that use before the free")) {
      order(close - 1, user, close, named.get(named.size() - 1));
    }
    if (words.contains(" waits for ")) {
      order(free - 1, named.get(1), free, named.get(0));
    }
  }

  private void accessAfterFunction() {
    int one = earlier();
    int other = indexOf(report.later());
    boolean isByFunction = steps.get(one).inside() != 0;
    int function = outermost(isByFunction ? one : other);
    int access = isByFunction ? other : one;
    if (access > function) {
      synchronize(streamOf(function), access);
    } else {
      throw new IllegalStateException("the thread's access comes before the function");
    }
  }
}
