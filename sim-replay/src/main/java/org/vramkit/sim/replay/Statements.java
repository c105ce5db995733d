package org.vramkit.sim.replay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.replay.Step.KernelRanges;

/**
 * Renders steps as Java statements. A variable is named after the kind and number of its operand.
 */
final class Statements {
  private static final Pattern WORD = Pattern.compile("\\{(\\w+)}");

  private final Map<Integer, String> names = new HashMap<>();
  private final Map<Integer, List<Step>> inside = new HashMap<>();
  private final Set<Integer> changed = new HashSet<>();
  private final Set<ByteRange> written = new HashSet<>();
  private final Set<Integer> buffers = new HashSet<>();

  /** Buffers whose address is used after their close, when it can no longer be queried. */
  private final Set<Integer> outlived = new HashSet<>();

  Statements(Program program) {
    Set<Integer> closed = new HashSet<>();
    for (Step step : program.steps()) {
      if (step.kind() == StepKind.CLOSE_PINNED) {
        closed.add(step.uses().get(0));
      }
      Stream.concat(step.reads().stream(), step.writes().stream())
          .map(ByteRange::operand)
          .filter(closed::contains)
          .forEach(outlived::add);
      if (step.makes() != 0) {
        names.put(step.makes(), camelCase(step.kind().getMade().getWord()) + step.makes());
      }
      if (step.kind().getMade() == OperandKind.PINNED) {
        buffers.add(step.makes());
      }
      if (step.inside() != 0) {
        inside.computeIfAbsent(step.inside(), number -> new ArrayList<>()).add(step);
      }
      step.changedByHost().ifPresent(range -> changed.add(range.operand()));
    }
  }

  private static String camelCase(String word) {
    return Pattern.compile("_(.)")
        .matcher(word)
        .replaceAll(match -> match.group(1).toUpperCase(Locale.ROOT));
  }

  /** Returns the statements of a call on one line. */
  String of(Step step) {
    String call = call(step);
    if (call.isEmpty()) {
      return "// a query that was answered with no";
    }
    if (step.makes() != 0) {
      return type(step) + " " + name(step.makes()) + " = " + call + ";" + view(step);
    }
    return planned(step, step.failure().isFailed() ? failing(step, call) : ended(call));
  }

  private static String ended(String call) {
    return call.endsWith("}") || call.endsWith(";") ? call : call + ";";
  }

  /** Returns the statement for another thread, which the main one waits for. */
  String elsewhere(Step step, String statement) {
    if (statement.startsWith("//")) {
      return statement;
    }
    String thread = "thread" + step.thread();
    return step.makes() != 0
        ? type(step)
            + " "
            + name(step.makes())
            + " = "
            + thread
            + ".submit(() -> "
            + call(step)
            + ").get();"
            + view(step)
        : thread + ".submit(() -> { " + statement + " }).get();";
  }

  /**
   * Returns a view of page-locked memory that the host will change, taken before any copy is
   * pending.
   */
  private String view(Step step) {
    String address =
        outlived.contains(step.makes())
            ? " long " + name(step.makes()) + "Address = " + name(step.makes()) + ".getAddress();"
            : "";
    return changed.contains(step.makes())
        ? " ByteBuffer "
            + view(step.makes())
            + " = "
            + name(step.makes())
            + ".getBytes(0, "
            + step.value()
            + ");"
            + address
        : address;
  }

  private String view(int operand) {
    return name(operand) + "Bytes";
  }

  /** Wraps a statement in its fault plan. */
  private static String planned(Step step, String statement) {
    StringBuilder plan = new StringBuilder();
    if (step.failure().planned()) {
      StepFailure failure = step.failure();
      plan.append(
          String.format(
              Locale.ROOT,
              ".fail(CallSelector.%s.withNth(1), new Fault(%d, %s))",
              failure.isOfLostDevice()
                  ? "any()"
                  : "of(" + ProgramPrinter.quoted(failure.function()) + ")",
              failure.code(),
              ProgramPrinter.quoted(failure.status())));
    }
    if (step.fault().delayNanos() > 0) {
      plan.append(".delay(WorkSelector.any(), " + number(step.fault().delayNanos()) + ")");
    }
    if (step.fault().hangs()) {
      plan.append(".hang(WorkSelector.any())");
    }
    return plan.length() == 0
        ? statement
        : "gpu.getFaults().inject(FaultPlan.NONE"
            + plan
            + "); "
            + statement
            + " gpu.getFaults().clear();";
  }

  /** Returns the calls recorded inside a step, as the block of a lambda. */
  private String block(Step step) {
    List<Step> calls = inside.getOrDefault(step.number(), List.of());
    return calls.isEmpty()
        ? "{}"
        : calls.stream().map(this::of).collect(Collectors.joining(" ", "{ ", " }"));
  }

  static String newThread(Program program, int thread) {
    ProgramThread made = program.threads().get(thread);
    return made.worker()
        ? "ExecutorService thread" + thread + " = new ForkJoinPool(1);"
        : "ExecutorService thread"
            + thread
            + " = SingleThread.named("
            + ProgramPrinter.quoted(made.name())
            + ");";
  }

  private static String failing(Step step, String call) {
    String type =
        step.failure().type().equals("ClosedException") ? "ClosedException" : "GpuException";
    return "try { " + ended(call) + " } catch (" + type + " expected) { }";
  }

  private static String type(Step step) {
    return switch (step.kind().getMade()) {
      case STREAM -> "SimStream";
      case EVENT -> "SimEvent";
      case GATE -> "SimGate";
      case BINDING -> "DeviceBinding";
      case HAND_OFF -> "HandOff";
      case HAND_OFF_SCOPE -> "HandOff.Scope";
      case GRAPH -> "Graph";
      case RELAXATION -> "Graphs.Relaxation";
      case PINNED -> "PinnedBuffer";
      case MEMORY, PHYSICAL -> "long";
      case POOL -> step.kind() == StepKind.DEFAULT_POOL ? "StreamOrderedMemory" : "DriverPool";
      case NOTHING -> throw new IllegalStateException("step " + step + " makes nothing");
    };
  }

  /** Returns the call as Java; empty for a query that was answered with no. */
  private String call(Step step) {
    return step.kind().isQuery() && !step.isYes()
        ? ""
        : WORD.matcher(step.kind().getJava())
            .replaceAll(match -> Matcher.quoteReplacement(part(match.group(1), step)));
  }

  /** Returns the Java for one placeholder of a kind's template. */
  private String part(String word, Step step) {
    return switch (word) {
      case "0", "1" -> name(step.uses().get(Integer.parseInt(word)));
      case "device" -> "device" + step.device();
      case "other" -> "device" + step.value();
      case "thread" -> "thread" + step.thread();
      case "value" -> number(step.value());
      case "truth" -> Boolean.toString(step.value() == 1);
      case "text" -> ProgramPrinter.quoted(step.text());
      case "constant" -> step.text();
      case "allowed" -> Boolean.toString(step.text().equals("allowed"));
      case "tag" -> step.text().isEmpty() ? "" : ", " + ProgramPrinter.quoted(step.text());
      case "source" -> address(step.source());
      case "length" -> number(step.source().bytes());
      case "offset" -> number(step.source().offset());
      case "buffer" -> name(step.source().operand());
      case "from" -> place(step.source());
      case "target" -> address(step.target());
      case "bytes" -> number(step.target().bytes());
      case "into" -> place(step.target());
      case "changes" -> changes(step.target());
      case "written" -> writtenByHost(step);
      case "kernel" -> kernel(step);
      case "block" -> block(step);
      default -> throw new IllegalStateException("unknown placeholder {" + word + "}");
    };
  }

  /** Returns a loop that changes every byte, as the host did. */
  private String changes(ByteRange range) {
    String view = view(range.operand());
    return String.format(
        Locale.ROOT,
        "for (int i = %d; i < %d; i++) { %s.put(i, (byte) ~%s.get(i)); }",
        range.offset(),
        range.offset() + range.bytes(),
        view,
        view);
  }

  /** Returns a write to the source of a copy, if the host had written it. */
  private String writtenByHost(Step step) {
    return step.changedByHost()
        .filter(range -> written.add(new ByteRange(range.operand(), range.offset(), 1)))
        .map(range -> view(range.operand()) + ".put(" + range.offset() + ", (byte) 1); ")
        .orElse("");
  }

  private String kernel(Step step) {
    StringBuilder text =
        new StringBuilder("SimKernel.named(" + ProgramPrinter.quoted(step.text()) + ")");
    KernelRanges ranges = KernelRanges.of(step);
    ranges.reads().forEach(range -> text.append(".reads(" + touched(range)));
    ranges.writes().forEach(range -> text.append(".writes(" + touched(range)));
    ranges.atomics().forEach(range -> text.append(".atomics(" + touched(range)));
    if (inside.containsKey(step.number())) {
      text.append(".body(bytes -> " + block(step) + ")");
    }
    if (step.value() >= 0) {
      text.append(".taking(" + number(step.value()) + ")");
    }
    return text.append(".build()").toString();
  }

  private String touched(ByteRange range) {
    return address(range) + ", " + number(range.bytes()) + ")";
  }

  private String name(int operand) {
    String name = names.get(operand);
    if (name == null) {
      throw new InvalidArgumentException(
          "step uses #"
              + operand
              + ", which no step makes; print the program of its ProgramRun, which contains only"
              + " steps that ran");
    }
    return name;
  }

  /** Returns a pinned buffer and the offset in it. */
  private String place(ByteRange range) {
    return name(range.operand()) + ", " + number(range.offset());
  }

  private String address(ByteRange range) {
    if (range.operand() == ByteRange.NOWHERE) {
      return String.format(Locale.ROOT, "0x%xL", range.offset());
    }
    String base = name(range.operand());
    if (buffers.contains(range.operand())) {
      base += outlived.contains(range.operand()) ? "Address" : ".getAddress()";
    }
    return range.offset() == 0 ? base : base + " + " + number(range.offset());
  }

  private static String number(long value) {
    return value == (int) value ? Long.toString(value) : value + "L";
  }
}
