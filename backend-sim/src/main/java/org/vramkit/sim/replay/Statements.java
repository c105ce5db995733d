package org.vramkit.sim.replay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.program.ByteRange;
import org.vramkit.sim.program.OperandKind;
import org.vramkit.sim.program.Program;
import org.vramkit.sim.program.ProgramThread;
import org.vramkit.sim.program.Step;
import org.vramkit.sim.program.StepFailure;
import org.vramkit.sim.program.StepKind;

/** Puts steps into Java. Variables are called after what they hold, with the operand's number. */
final class Statements {
  private final Map<Integer, String> names = new HashMap<>();
  private final Map<Integer, List<Step>> inside = new HashMap<>();
  private final Set<Integer> changed = new HashSet<>();
  private final Set<ByteRange> written = new HashSet<>();
  private final Set<Integer> buffers = new HashSet<>();

  /** Buffers whose address is used after their close, which tell it no more. */
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

  /** The statements that make the call, on one line. */
  String of(Step step) {
    String call = call(step);
    if (call.isEmpty()) {
      return "// a question that was answered with no";
    }
    if (step.makes() != 0) {
      return type(step) + " " + name(step.makes()) + " = " + call + ";" + view(step);
    }
    return planned(step, step.failure().isFailed() ? failing(step, call) : ended(call));
  }

  private static String ended(String call) {
    return call.endsWith("}") || call.endsWith(";") ? call : call + ";";
  }

  /** The same by another thread, which the main one waits for. */
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

  /** A view of page-locked memory that the host will change, taken before any copy is pending. */
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

  /** The statement, done to by a fault plan what was done to it. */
  private static String planned(Step step, String statement) {
    StringBuilder plan = new StringBuilder();
    if (isRefused(step)) {
      StepFailure failure = step.failure();
      plan.append(
          String.format(
              Locale.ROOT,
              ".fail(CallSelector.of(%s).withNth(1), new Fault(%d, %s))",
              ProgramPrinter.quoted(failure.function()),
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

  /** What the work of a step calls, as the block of a lambda. */
  private String block(Step step) {
    List<Step> calls = inside.getOrDefault(step.number(), List.of());
    return calls.isEmpty()
        ? "{}"
        : calls.stream().map(this::of).collect(Collectors.joining(" ", "{ ", " }"));
  }

  static String newThread(Program program, int thread) {
    ProgramThread made = program.threads().get(thread);
    return String.format(
        Locale.ROOT,
        made.worker()
            ? "ExecutorService thread%d = Executors.newSingleThreadExecutor(task -> new"
                + " Thread(task, %s));"
            : "ExecutorService thread%d = SingleThread.named(%s);",
        thread,
        ProgramPrinter.quoted(made.name()));
  }

  /** Whether the call goes to a device, not to something that a device made. */
  static boolean namesDevice(Step step) {
    return switch (step.kind()) {
      case DEFAULT_STREAM,
          CREATE_STREAM,
          CREATE_NAMED_STREAM,
          SYNCHRONIZE_DEVICE,
          CREATE_EVENT,
          BIND,
          BEGIN_CAPTURE,
          END_CAPTURE,
          RELAX_CAPTURE,
          ALLOCATE,
          FREE,
          DEFAULT_POOL,
          CREATE_POOL,
          RESERVE,
          UNRESERVE,
          CREATE_PHYSICAL,
          RELEASE_PHYSICAL,
          MAP,
          SET_ACCESS,
          UNMAP,
          ALLOCATE_PINNED,
          ALLOCATE_MANAGED,
          REGISTER_PINNED,
          TELL_ALLOCATED,
          TELL_USED,
          TELL_FREED,
          TELL_SEGMENT_TAKEN,
          TELL_SEGMENT_GIVEN_BACK,
          TELL_ALLOCATED_ON_HOST,
          TELL_FREED_ON_HOST,
          ENTER_POOL,
          LEAVE_POOL,
          ENABLE_PEER,
          DISABLE_PEER,
          OCCUPY,
          VACATE ->
          true;
      default -> false;
    };
  }

  /** Whether the driver is made to refuse the call. */
  static boolean isRefused(Step step) {
    return step.failure().planned();
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

  private String call(Step step) {
    String device = "device" + step.device();
    return switch (step.kind()) {
      case DEFAULT_STREAM -> device + ".getDefaultStream()";
      case CREATE_STREAM -> device + ".createStream(StreamKind." + step.text() + ")";
      case CREATE_NAMED_STREAM ->
          device + ".createStream(" + ProgramPrinter.quoted(step.text()) + ")";
      case SYNCHRONIZE_DEVICE -> device + ".synchronize()";
      case CREATE_EVENT -> device + ".createEvent()";
      case BEGIN_CAPTURE -> device + ".getGraphs().beginCapture(" + used(step, 0) + ")";
      case END_CAPTURE -> device + ".getGraphs().endCapture(" + used(step, 0) + ")";
      case LAUNCH_GRAPH -> used(step, 0) + ".launch(" + used(step, 1) + ")";
      case RELAX_CAPTURE -> device + ".getGraphs().relax()";
      case CLOSE_GRAPH, END_RELAXATION -> used(step, 0) + ".close()";
      case CLOSE_STREAM, CLOSE_EVENT, CLOSE_POOL, CLOSE_PINNED -> used(step, 0) + ".close()";
      // Whoever was told yes knows as much as after a wait.
      case QUERY_STREAM, QUERY_EVENT -> step.isYes() ? used(step, 0) + ".synchronize()" : "";
      case SYNCHRONIZE_STREAM, SYNCHRONIZE_EVENT -> used(step, 0) + ".synchronize()";
      case RECORD_EVENT -> used(step, 0) + ".record(" + used(step, 1) + ")";
      case WAIT_FOR_EVENT, WAIT_FOR_GATE -> used(step, 0) + ".waitFor(" + used(step, 1) + ")";
      case HOST_FUNCTION ->
          used(step, 0)
              + ".callHost("
              + ProgramPrinter.quoted(step.text())
              + ", () -> "
              + block(step)
              + ")";
      case SYNCHRONIZE_STREAM_FOR_ALL ->
          used(step, 0) + ".synchronizeAsync(Runnable::run).toCompletableFuture().join()";
      case CREATE_HAND_OFF -> "gpu.newHandOff()";
      case PUBLISH -> used(step, 0) + ".publish()";
      case RECEIVE -> used(step, 0) + ".receive()";
      case BEGIN_HAND_OFF -> used(step, 0) + ".begin()";
      case END_HAND_OFF -> used(step, 0) + ".close()";
      case END_THREAD ->
          "thread"
              + step.thread()
              + ".shutdown(); thread"
              + step.thread()
              + ".awaitTermination(1, TimeUnit.MINUTES)";
      case HOST_READS -> "gpu.hostReads(" + touched(step.reads().get(0)) + ")";
      case HOST_WRITES -> "gpu.hostWrites(" + touched(step.writes().get(0)) + ")";
      case HOST_CHANGES -> {
        ByteRange range = step.writes().get(0);
        String view = view(range.operand());
        yield String.format(
            Locale.ROOT,
            "for (int i = %d; i < %d; i++) { %s.put(i, (byte) ~%s.get(i)); }",
            range.offset(),
            range.offset() + range.bytes(),
            view,
            view);
      }
      case END_HANGS -> "gpu.getFaults().endHangs()";
      case CREATE_GATE -> "gpu.createGate(" + ProgramPrinter.quoted(step.text()) + ")";
      case BIND -> device + ".bind()";
      case UNBIND -> used(step, 0) + ".close()";
      case OPEN_GATE -> used(step, 0) + ".open()";
      case STAND_STILL -> "gpu.standStill()";
      case FINISH -> "gpu.finish()";
      case ADVANCE -> "gpu.advance(" + number(step.value()) + ")";
      case LAUNCH, LAUNCH_ATOMIC -> used(step, 0) + ".launch(" + kernel(step) + ")";
      case FILL, COPY, COPY_FROM_HOST, COPY_TO_HOST, COPY_FROM_PINNED, COPY_TO_PINNED ->
          writtenByHost(step) + used(step, 0) + copy(step);
      case ALLOCATE -> device + ".getMemory().allocate(" + number(step.value()) + ")";
      case FREE -> device + ".getMemory().free(" + start(step) + ")";
      case DEFAULT_POOL -> device + ".getStreamOrderedMemory()";
      case CREATE_POOL -> device + ".getDriverPools().create(" + number(step.value()) + ")";
      case POOL_ALLOCATE ->
          used(step, 0) + ".allocate(" + number(step.value()) + ", " + used(step, 1) + ")";
      case POOL_FREE -> used(step, 0) + ".free(" + start(step) + ", " + used(step, 1) + ")";
      case TRIM_POOL -> used(step, 0) + ".trim(" + number(step.value()) + ")";
      case SET_POOL_THRESHOLD ->
          used(step, 0) + ".setReleaseThreshold(" + number(step.value()) + ")";
      case SET_POOL_REUSE ->
          used(step, 0)
              + ".setReuse(DriverPoolReuse."
              + step.text()
              + ", "
              + (step.value() == 1)
              + ")";
      case SET_POOL_ACCESS ->
          used(step, 0)
              + ".setAccess(device"
              + step.value()
              + ", "
              + step.text().equals("allowed")
              + ")";
      case RESERVE, UNRESERVE, CREATE_PHYSICAL, RELEASE_PHYSICAL, MAP, SET_ACCESS, UNMAP ->
          device + ".getVirtualMemory()" + virtual(step);
      case ALLOCATE_PINNED -> device + ".getPinnedMemory().allocate(" + number(step.value()) + ")";
      case ALLOCATE_MANAGED ->
          device + ".getManagedMemory().allocate(" + number(step.value()) + ")";
      case REGISTER_PINNED ->
          device + ".getPinnedMemory().register(ByteBuffer.allocateDirect(" + step.value() + "))";
      case VIEW_PINNED -> {
        ByteRange view = step.reads().get(0);
        yield name(view.operand())
            + ".getBytes("
            + number(view.offset())
            + ", "
            + view.bytes()
            + ")";
      }
      case TELL_ALLOCATED ->
          told(step, "allocated", start(step), number(bytes(step)), used(step, 0) + tag(step));
      case TELL_USED -> told(step, "used", start(step), used(step, 0));
      case TELL_FREED -> told(step, "freed", start(step), used(step, 0));
      case TELL_SEGMENT_TAKEN -> told(step, "segmentTaken", start(step), number(bytes(step)));
      case TELL_SEGMENT_GIVEN_BACK -> told(step, "segmentGivenBack", start(step));
      case TELL_ALLOCATED_ON_HOST ->
          told(step, "allocatedOnHost", start(step), number(bytes(step)));
      case TELL_FREED_ON_HOST -> told(step, "freedOnHost", start(step));
      case ENTER_POOL -> told(step, "enterPool");
      case LEAVE_POOL -> told(step, "leavePool");
      case ENABLE_PEER -> device + ".getPeerAccess().enable(device" + step.value() + ")";
      case DISABLE_PEER -> device + ".getPeerAccess().disable(device" + step.value() + ")";
      case OCCUPY -> device + ".occupy(" + number(step.value()) + ")";
      case VACATE -> device + ".vacate(" + number(step.value()) + ")";
    };
  }

  private static String tag(Step step) {
    return step.text().isEmpty() ? "" : ", " + ProgramPrinter.quoted(step.text());
  }

  private static String told(Step step, String call, String... arguments) {
    return "device"
        + step.device()
        + ".getMemoryObserver()."
        + call
        + "("
        + String.join(", ", arguments)
        + ")";
  }

  private String virtual(Step step) {
    String range = step.writes().isEmpty() ? "" : start(step) + ", " + number(bytes(step));
    return switch (step.kind()) {
      case RESERVE -> ".reserve(" + number(step.value()) + ")";
      case UNRESERVE -> ".unreserve(" + range + ")";
      case CREATE_PHYSICAL -> ".create(" + number(step.value()) + ")";
      case RELEASE_PHYSICAL -> ".release(" + used(step, 0) + ")";
      case MAP -> ".map(" + range + ", " + used(step, 0) + ")";
      case SET_ACCESS -> ".setAccess(" + range + ", device" + step.value() + ")";
      default -> ".unmap(" + range + ")";
    };
  }

  /** What a copy reads has to be written first, if it was. */
  private String writtenByHost(Step step) {
    return step.kind() == StepKind.HOST_CHANGES
        ? ""
        : step.changedByHost()
            .filter(range -> written.add(new ByteRange(range.operand(), range.offset(), 1)))
            .map(range -> view(range.operand()) + ".put(" + range.offset() + ", (byte) 1); ")
            .orElse("");
  }

  private String copy(Step step) {
    return switch (step.kind()) {
      case FILL ->
          ".fill(" + start(step) + ", (byte) " + step.value() + ", " + number(bytes(step)) + ")";
      case COPY -> ".copy(" + start(step) + ", " + source(step) + ", " + number(bytes(step)) + ")";
      case COPY_FROM_HOST ->
          ".copyToDevice(" + start(step) + ", ByteBuffer.allocate(" + bytes(step) + "))";
      case COPY_TO_HOST ->
          ".copyToHost(ByteBuffer.allocate("
              + step.reads().get(0).bytes()
              + "), "
              + source(step)
              + ")";
      case COPY_FROM_PINNED -> {
        ByteRange pinned = step.reads().get(0);
        yield ".copyToDevice("
            + start(step)
            + ", "
            + place(pinned)
            + ", "
            + number(pinned.bytes())
            + ")";
      }
      default ->
          ".copyToHost("
              + place(step.writes().get(0))
              + ", "
              + source(step)
              + ", "
              + number(bytes(step))
              + ")";
    };
  }

  private String kernel(Step step) {
    StringBuilder text =
        new StringBuilder("SimKernel.named(" + ProgramPrinter.quoted(step.text()) + ")");
    KernelRanges ranges = KernelRanges.of(step);
    ranges.reads().forEach(range -> text.append(".reads(" + touched(range, ")")));
    ranges.writes().forEach(range -> text.append(".writes(" + touched(range, ")")));
    ranges.atomics().forEach(range -> text.append(".atomics(" + touched(range, ")")));
    if (inside.containsKey(step.number())) {
      text.append(".body(bytes -> " + block(step) + ")");
    }
    if (step.value() >= 0) {
      text.append(".taking(" + number(step.value()) + ")");
    }
    return text.append(".build()").toString();
  }

  private String touched(ByteRange range, String end) {
    return address(range) + ", " + number(range.bytes()) + end;
  }

  private String used(Step step, int role) {
    return name(step.uses().get(role));
  }

  private String name(int operand) {
    String name = names.get(operand);
    if (name == null) {
      throw new InvalidArgumentException(
          "step makes use of #"
              + operand
              + ", which no step makes; run the program and print"
              + " what ran");
    }
    return name;
  }

  private String start(Step step) {
    return address(step.writes().get(0));
  }

  private String source(Step step) {
    return address(step.reads().get(0));
  }

  private static long bytes(Step step) {
    return step.writes().get(0).bytes();
  }

  /** A pinned buffer and the offset in it. */
  private String place(ByteRange range) {
    return name(range.operand()) + ", " + number(range.offset());
  }

  private String touched(ByteRange range) {
    return place(range) + ", " + number(range.bytes());
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
