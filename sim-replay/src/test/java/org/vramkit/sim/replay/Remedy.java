package org.vramkit.sim.replay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.GpuException;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.hazard.Access;
import org.vramkit.sim.hazard.HazardReport;

/**
 * Carries out the remedy of a report: changes the steps of the program as the words say. Each step
 * runs under the name of its number as the name of its thread, so that the accesses of a report
 * name their steps.
 */
public final class Remedy {
  private static final String STEP = "step ";
  private static final Pattern STREAM = Pattern.compile("stream \\S+ of device \\d+");

  /** A program after its run, and the operands of its streams by their names in reports. */
  public record Run(
      Program program, List<HazardReport> reports, Map<String, Integer> streamOperands) {}

  private final Run run;
  private final HazardReport report;
  private final List<Step> steps;
  private int operands;
  private int numbers;

  private Remedy(Run run, HazardReport report) {
    this.run = run;
    this.report = report;
    this.steps = new ArrayList<>(run.program.steps());
    this.operands = steps.stream().mapToInt(Step::makes).max().orElse(0);
    this.numbers = steps.stream().mapToInt(Step::number).max().orElse(0);
  }

  /** Runs a program; its reports are its hazards, then its warnings. */
  public static Run run(Program program) {
    ProgramSetup setup = program.setup();
    SimBackend.Builder builder =
        SimBackend.builder()
            .seed(setup.seed())
            .schedule(setup.schedule())
            .bytes(setup.bytes())
            .checker(setup.checker())
            .patience(Duration.ZERO);
    setup.devices().forEach(builder::device);
    Map<String, Integer> streams = new HashMap<>();
    try (SimBackend backend = builder.build();
        ReplayThreads threads = new ReplayThreads(program)) {
      Stage[] stage = new Stage[1];
      stage[0] = new Stage(backend, program.steps(), step -> perform(stage[0], step, streams));
      for (Step step : program.steps()) {
        if (step.kind() == StepKind.END_THREAD) {
          threads.end(step.thread());
        } else if (step.inside() == 0) {
          threads.run(step.thread(), () -> perform(stage[0], step, streams));
        }
      }
      return new Run(
          program,
          Stream.concat(backend.getHazards().stream(), backend.getWarnings().stream()).toList(),
          streams);
    }
  }

  private static void perform(Stage stage, Step step, Map<String, Integer> streams) {
    Thread here = Thread.currentThread();
    String before = here.getName();
    here.setName(STEP + step.number());
    try {
      if (stage.has(step)) {
        step.kind().call(stage, step);
        if (step.kind().getMade() == OperandKind.STREAM) {
          Step user = Step.of(1, 0, StepKind.SYNCHRONIZE_STREAM).using(List.of(step.makes()));
          streams.put(stage.stream(user).toString(), step.makes());
        }
      }
    } catch (GpuException | ClosedException e) {
      // What is wrong is reported.
    } finally {
      here.setName(before);
    }
  }

  /** Returns the program after the remedy of a report; throws if the words are unknown. */
  public static Program carryOut(Run run, HazardReport report) {
    Remedy remedy = new Remedy(run, report);
    remedy.carryOut(report.remedy());
    return run.program.with(remedy.steps);
  }

  // ---- the program ----

  /** Returns the index of the step of an access. */
  private int indexOf(@Nullable Access access) {
    if (access == null || !access.thread().startsWith(STEP)) {
      throw new IllegalStateException("no step of " + access);
    }
    int number = Integer.parseInt(access.thread().substring(STEP.length()));
    return indexOf(step -> step.number() == number);
  }

  private int indexOf(Predicate<Step> wanted) {
    for (int i = 0; i < steps.size(); i++) {
      if (wanted.test(steps.get(i))) {
        return i;
      }
    }
    throw new IllegalStateException("no such step");
  }

  /** Returns the index of the last step before another one that is wanted; -1 for none. */
  private int lastBefore(int index, Predicate<Step> wanted) {
    int at = index - 1;
    while (at >= 0 && !wanted.test(steps.get(at))) {
      at--;
    }
    return at;
  }

  private int earlier() {
    return indexOf(report.earlier());
  }

  private int later() {
    return outermost(indexOf(report.later()));
  }

  /** Returns the step of the host that a step belongs to: itself, or that of its function. */
  private int outermost(int index) {
    int inside = steps.get(index).inside();
    return inside == 0 ? index : indexOf(step -> step.number() == inside);
  }

  /** Returns the step that was captured for an access of a launch; the step itself for others. */
  private int captured(int index, Access access) {
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
  private int streamOf(int index) {
    Step step = steps.get(index);
    return step.uses().get(step.kind().getRoles().indexOf(OperandKind.STREAM));
  }

  /** Returns the stream of an access, which a branch of a graph has from the launch. */
  private int streamOf(Access access) {
    Integer named = run.streamOperands.get(access.stream());
    return named == null ? streamOf(outermost(indexOf(access))) : named;
  }

  private int deviceOf(int operand) {
    return steps.get(indexOf(step -> step.makes() == operand)).device();
  }

  private Step made(StepKind kind, int thread, int device, Integer... uses) {
    return Step.of(++numbers, thread, kind).on(device).using(List.of(uses));
  }

  private void insert(int at, Step step) {
    steps.add(at, step);
  }

  /** Makes a stream wait, from a step on, for the work that another one has after a step. */
  private void order(int after, int user, int before, int waiting) {
    int event = ++operands;
    int thread = steps.get(before).thread();
    int device = deviceOf(user);
    insert(before, made(StepKind.WAIT_FOR_EVENT, thread, deviceOf(waiting), waiting, event));
    insert(after + 1, made(StepKind.RECORD_EVENT, thread, device, event, user));
    insert(after + 1, made(StepKind.CREATE_EVENT, thread, device).making(event));
  }

  private void synchronize(int stream, int before) {
    int thread = steps.get(before).thread();
    insert(before, made(StepKind.SYNCHRONIZE_STREAM, thread, deviceOf(stream), stream));
  }

  private void move(int from, int to) {
    Step moved = steps.remove(from);
    steps.add(to, moved);
  }

  /** Returns the range of a step that contains the bytes of the report. */
  private ByteRange range(Step step) {
    return Stream.concat(step.reads().stream(), step.writes().stream())
        .filter(range -> addressOf(range) <= report.address() && report.address() <= endOf(range))
        .findFirst()
        .orElseThrow();
  }

  /** Returns an address in the accesses of the report for the start of a range of a step. */
  private long addressOf(ByteRange range) {
    return report.later().address() + range.offset() - laterStart(range);
  }

  private long endOf(ByteRange range) {
    return addressOf(range) + range.bytes();
  }

  private long laterStart(ByteRange range) {
    Step step = steps.get(indexOf(report.later()));
    return Stream.concat(step.reads().stream(), step.writes().stream())
        .filter(other -> other.operand() == range.operand())
        .filter(other -> other.bytes() == report.later().bytes() || other.bytes() == 0)
        .mapToLong(ByteRange::offset)
        .findFirst()
        .orElse(range.offset());
  }

  // ---- the words ----

  private static boolean begins(String words, String... beginnings) {
    return Stream.of(beginnings).anyMatch(words::startsWith);
  }

  private List<Integer> streamsIn(String words) {
    List<Integer> found = new ArrayList<>();
    Matcher names = STREAM.matcher(words);
    while (names.find()) {
      found.add(run.streamOperands.get(names.group()));
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
      order(later - 1, streamOf(report.earlier()), later, streamOf(report.later()));
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
      synchronize(streamOf(report.earlier()), later());
    } else if (begins(words, "wait for the stream or the device before the free")) {
      int free = lastBefore(later(), step -> step.kind() == StepKind.FREE);
      synchronize(streamOf(report.earlier()), free);
    } else if (words.contains("wait for the device, because")) {
      int device = deviceOf(streamOf(report.earlier()));
      int at = hostAccess();
      insert(at, made(StepKind.SYNCHRONIZE_DEVICE, steps.get(at).thread(), device));
    } else if (begins(words, "wait for the stream", "wait first for the stream")) {
      synchronize(streamOf(report.earlier()), hostAccess());
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
      first = captured(first, report.earlier());
      second = captured(second, report.later());
      order(first, streamOf(first), second, streamOf(second));
    } else {
      order(first, streamOf(report.earlier()), second, streamOf(report.later()));
    }
  }

  /**
   * Makes the later stream wait for the earlier one, or the host if a pool allocates on the host.
   */
  private void haveThePoolWait() {
    int later = later();
    int user = streamOf(report.earlier());
    if (steps.get(later).kind().getRoles().contains(OperandKind.STREAM)) {
      order(later - 1, user, later, streamOf(report.later()));
    } else {
      synchronize(user, later);
    }
  }

  /** Orders, in a capture, the allocation of a block after the use of its memory before. */
  private void orderReuseInCapture() {
    int first = captured(outermost(earlier()), report.earlier());
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
            : Stream.concat(Stream.of(streamOf(report.earlier())), streamsIn(words).stream())
                .toList();
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
    int user = streamOf(report.earlier());
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
    int user = streamOf(report.earlier());
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
    int one = indexOf(report.earlier());
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

  /** Carries out what is no matter of order. */
  private void carryOutMisuse(String words) {
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
      int binding = ++operands;
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
  private void remap(int later) {
    Step step = steps.get(later);
    Step unmap = steps.get(lastBefore(later, each -> each.kind() == StepKind.UNMAP));
    int physical = ++operands;
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
  private ByteRange within(ByteRange range) {
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
      move(close, later);
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

  /** Returns a stream of a device, made at the beginning if the program makes none. */
  private int streamOfDevice(int device) {
    Predicate<Step> isStream =
        each -> each.kind().getMade() == OperandKind.STREAM && each.device() == device;
    if (steps.stream().noneMatch(isStream)) {
      insert(0, made(StepKind.CREATE_NAMED_STREAM, 0, device).making(++operands).named("another"));
    }
    return steps.get(indexOf(isStream)).makes();
  }

  /** Hands over from the thread that has waited last to that of the later access. */
  private void handOver(int later, Step step) {
    int wait =
        lastBefore(
            later,
            each ->
                each.thread() != step.thread()
                    && (each.kind() == StepKind.SYNCHRONIZE_STREAM
                        || each.kind() == StepKind.SYNCHRONIZE_DEVICE
                        || each.kind() == StepKind.SYNCHRONIZE_EVENT));
    int handOff = ++operands;
    int waiter = steps.get(wait).thread();
    insert(later, made(StepKind.RECEIVE, step.thread(), 0, handOff));
    insert(wait + 1, made(StepKind.PUBLISH, waiter, 0, handOff));
    insert(wait + 1, made(StepKind.CREATE_HAND_OFF, waiter, 0).making(handOff));
  }

  @Override
  public String toString() {
    return report + "\n" + steps.stream().map(Step::toString).collect(Collectors.joining("\n"));
  }
}
