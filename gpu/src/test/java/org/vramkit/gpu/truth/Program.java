package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.PAGE;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.Stream;

/**
 * A random program whose answers do not depend on time: memory belongs to one stream at a time, a
 * graph is launched where its memory belongs, and queries come after waits.
 */
class Program implements RandomProgram {
  static final int CALLS = 60;

  /** Streams of a device: the default stream, a blocking one, and two others. */
  static final int STREAMS = 4;

  /** Calls that allocate, so that the others have memory. */
  private static final int FIRST = 8;

  final SplittableRandom random;
  final ProgramMemory memory;
  final List<Stream> streams;
  final List<Device> devices;
  private final boolean managed;

  /** Whether the program has waited for all work of a stream, by its number. */
  private final boolean[] quiet;

  private final List<Event> events = new ArrayList<>();
  private final List<Launchable> graphs = new ArrayList<>();
  private final List<String> answers = new ArrayList<>();
  private final FreeMemory before;
  private int captured = -1;
  private List<ProgramMemory.Block> used = new ArrayList<>();

  /** A graph, the number of the stream it was captured on, and the memory that it uses. */
  private record Launchable(Graph graph, int stream, List<ProgramMemory.Block> blocks) {}

  /**
   * Creates a program.
   *
   * @param streams the {@link #STREAMS} of each device
   * @param managed whether it uses managed memory, in which case free memory depends on others
   */
  Program(List<Stream> streams, long seed, boolean managed) {
    this.streams = streams;
    this.devices = streams.stream().map(Stream::getDevice).distinct().toList();
    this.managed = managed;
    this.random = new SplittableRandom(seed);
    this.quiet = new boolean[streams.size()];
    this.before = FreeMemory.of(devices);
    this.memory = new ProgramMemory(devices, random, managed);
  }

  @Override
  public List<String> run() {
    for (int i = 0; i < CALLS; i++) {
      answers.add(i + " " + (i < FIRST ? allocate() : step()));
    }
    end();
    return answers;
  }

  private String allocate() {
    int stream = random.nextInt(streams.size());
    return memory.allocate(stream, streams.get(stream), this::initialize);
  }

  private String step() {
    return captured >= 0 ? capturing(captured) : free();
  }

  /** Makes a call while no stream is captured. */
  String free() {
    int stream = random.nextInt(streams.size());
    return switch (random.nextInt(24)) {
      case 0, 1, 2, 3, 4 -> allocate();
      case 5, 6 -> freeOne();
      case 7, 8 -> onBlock("fill", this::fill);
      case 9, 10 -> copy();
      case 11, 12 -> onBlock("read", this::read);
      case 13 -> onBlock("move", this::move);
      case 14 -> wait(stream);
      case 15 -> waitForAll();
      case 16 -> "free memory " + change();
      case 17 -> record(stream);
      case 18 -> query(stream);
      case 19 -> begin(stream);
      case 20 -> launch();
      case 21 -> memory.pool(streams.get(stream), this::initialize, stream);
      case 22 -> memory.refused();
      default -> memory.map(stream, streams.get(stream).getDevice(), this::initialize);
    };
  }

  /** Makes a call while a stream is captured; some are refused, and may end the capture. */
  String capturing(int number) {
    Stream stream = streams.get(number);
    int other = random.nextInt(streams.size());
    return switch (random.nextInt(14)) {
      case 0, 1, 2, 3 -> onBlock("captured fill", this::fill);
      case 4, 5 -> copy();
      case 6 -> "free memory " + change();
      case 7 -> answer("event of the capture", () -> keep(stream));
      case 8 -> answer("is captured", () -> graphs(stream).isCapturing(stream));
      case 9 -> answer("fill of 0 on " + other, () -> streams.get(other).fill(1, (byte) 0, 0));
      case 10 ->
          random.nextInt(3) == 0
              ? refusedInCapture(other)
              : answer("wait for itself", () -> stream.waitFor(keep(stream)));
      case 11 -> relaxed(stream.getDevice());
      default -> finish();
    };
  }

  private String refusedInCapture(int other) {
    Stream stream = streams.get(other);
    Device device = stream.getDevice();
    long spare = memory.spare(device);
    return switch (random.nextInt(7)) {
      case 0 -> answer("query of " + other, stream::isIdle);
      case 1 -> answer("alloc", () -> device.getMemory().allocate(1));
      case 2 -> answer("wait for the device", device::synchronize);
      case 3 -> answer("copy", () -> stream.copyToHost(ByteBuffer.allocate(4), spare));
      case 4 -> answer("page-locked alloc", () -> device.getPinnedMemory().allocate(1));
      case 5 -> answer("begin and end on " + other, () -> beginAndEnd(stream));
      default -> answer("interior free", () -> device.getMemory().free(spare + 512));
    };
  }

  private void beginAndEnd(Stream stream) {
    graphs(stream).beginCapture(stream);
    graphs(stream).endCapture(stream).close();
  }

  private static Graphs graphs(Stream stream) {
    return stream.getDevice().getGraphs();
  }

  private static String relaxed(Device device) {
    return answer(
        "relaxed alloc and free",
        () -> {
          Graphs.Relaxation scope = device.getGraphs().relax();
          device.getMemory().free(device.getMemory().allocate(PAGE));
          scope.close();
        });
  }

  private String begin(int number) {
    Stream stream = streams.get(number);
    String begun = answer("capture of " + number, () -> graphs(stream).beginCapture(stream));
    if (begun.endsWith("ok")) {
      captured = number;
      used = new ArrayList<>();
    }
    return begun;
  }

  private String finish() {
    Stream stream = streams.get(captured);
    Graph[] made = new Graph[1];
    String ended = answer("end", () -> made[0] = graphs(stream).endCapture(stream));
    if (made[0] != null) {
      graphs.add(new Launchable(made[0], captured, used));
    }
    captured = -1;
    return ended;
  }

  private String launch() {
    if (graphs.isEmpty()) {
      return "no graph";
    }
    Launchable one = graphs.get(random.nextInt(graphs.size()));
    if (random.nextInt(5) == 0) {
      graphs.remove(one);
      return answer("close of a graph", one.graph()::close);
    }
    boolean legal = one.blocks().stream().allMatch(each -> memory.isOf(each, one.stream()));
    if (!legal) {
      return "a graph whose memory has gone";
    }
    quiet[one.stream()] = false;
    return answer("launch", () -> one.graph().launch(streams.get(one.stream())));
  }

  /** Returns a block, of the captured stream if there is one; null if there is none. */
  private ProgramMemory.@Nullable Block one() {
    return captured < 0 ? memory.any(-1) : oneToCapture(captured);
  }

  /** Returns a block of a stream that a capture of it may use. */
  ProgramMemory.@Nullable Block oneToCapture(int stream) {
    return memory.any(stream);
  }

  /** Closes all graphs. */
  String closeGraphs() {
    String closed = "close of " + graphs.size() + " graphs";
    graphs.forEach(each -> each.graph().close());
    graphs.clear();
    return closed;
  }

  private interface OnBlock {
    String make(ProgramMemory.Block block);
  }

  private String onBlock(String name, OnBlock call) {
    ProgramMemory.Block block = one();
    return block == null ? "no block to " + name : name + " " + block + " " + call.make(block);
  }

  /** Fills new memory. */
  void initialize(ProgramMemory.Block block) {
    quiet[block.stream()] = false;
    streams.get(block.stream()).fill(block.address(), (byte) random.nextInt(256), block.bytes());
  }

  private String fill(ProgramMemory.Block block) {
    long from = block.bytes() == 1 ? 0 : random.nextLong(block.bytes() / 2);
    long count = 1 + random.nextLong(block.bytes() - from);
    byte value = (byte) random.nextInt(256);
    work(block);
    return answer(
        "+" + from + " " + count,
        () -> streams.get(block.stream()).fill(block.address() + from, value, count));
  }

  /** Notes that work on a block is submitted. */
  void work(ProgramMemory.Block block) {
    noteWork(block.stream());
    if (captured >= 0) {
      used.add(block);
    }
  }

  /** Notes that a stream has something to do. */
  void noteWork(int stream) {
    quiet[stream] = false;
  }

  private String copy() {
    ProgramMemory.Block to = one();
    ProgramMemory.Block from = to == null ? null : captured < 0 ? memory.any(to.stream()) : one();
    if (to == null || from == null || to == from) {
      return "nothing to copy";
    }
    long count = 1 + random.nextLong(Math.min(to.bytes(), from.bytes()));
    work(to);
    work(from);
    Stream stream = streams.get(to.stream());
    return answer(
        "copy " + count + " " + from + " to " + to,
        () -> stream.copy(to.address(), from.address(), count));
  }

  private String read(ProgramMemory.Block block) {
    ByteBuffer found = ByteBuffer.allocate((int) Math.min(block.bytes(), 256));
    long from = random.nextLong(block.bytes() - found.capacity() + 1);
    return answer(
        "+" + from,
        () -> {
          streams.get(block.stream()).copyToHost(found, block.address() + from);
          return found.hashCode();
        });
  }

  /** Gives memory to another stream, which waits for the work of the old one. */
  private String move(ProgramMemory.Block block) {
    int to = random.nextInt(streams.size());
    if (!memory.mayMove(block)) {
      return "stays";
    }
    quiet[to] = false;
    String moved =
        answer("to " + to, () -> streams.get(to).waitFor(keep(streams.get(block.stream()))));
    memory.move(block, to);
    return moved;
  }

  /** Returns an event that is recorded on a stream, and closed at the end of the program. */
  Event keep(Stream stream) {
    Event event = stream.getDevice().createEvent();
    events.add(event);
    event.record(stream);
    return event;
  }

  private String freeOne() {
    ProgramMemory.Block block = memory.any(-1);
    if (block == null) {
      return "nothing to free";
    }
    Stream stream = streams.get(block.stream());
    quiet[block.stream()] = false;
    String waited = memory.needsWait(block) ? answer("wait", stream::synchronize) : "";
    return "free of " + block + waited + memory.free(block, stream);
  }

  private String wait(int stream) {
    String waited = answer("wait for " + stream, streams.get(stream)::synchronize);
    quiet[stream] = true;
    return waited;
  }

  /** Waits for all devices. */
  String waitForAll() {
    String waited = answer("wait", () -> devices.forEach(Device::synchronize));
    Arrays.fill(quiet, true);
    return waited;
  }

  private String record(int stream) {
    Event[] event = new Event[1];
    String recorded = answer("record on " + stream, () -> event[0] = keep(streams.get(stream)));
    return recorded
        + answer(" and wait", event[0]::synchronize)
        + answer(" passed", event[0]::isComplete);
  }

  /** Asks a stream that has nothing to do; default and blocking ones also depend on each other. */
  private String query(int stream) {
    boolean known = quiet[stream] && (!isOrdered(stream) || allOrderedAreQuiet());
    return known ? answer("query of " + stream, streams.get(stream)::isIdle) : wait(stream);
  }

  /** Returns whether a stream is ordered with the default stream. */
  private boolean isOrdered(int stream) {
    return stream % STREAMS < 2;
  }

  private boolean allOrderedAreQuiet() {
    return IntStream.range(0, streams.size()).allMatch(i -> !isOrdered(i) || quiet[i]);
  }

  private String change() {
    return answer("", () -> managed ? "0" : before.text());
  }

  private void end() {
    if (captured >= 0) {
      answers.add(finish());
    }
    answers.add("last " + waitForAll());
    closeGraphs();
    events.forEach(Event::close);
    answers.add("last " + memory.end(streams));
    devices.forEach(Device::synchronize);
    answers.add("left " + change());
  }

  static String answer(String what, Runnable call) {
    return what + " " + Probe.outcome(call);
  }

  /** Makes a call; returns what it returned, unless that is a handle. */
  static String answer(String what, Supplier<?> call) {
    Object[] found = new Object[1];
    String outcome = Probe.outcome(() -> found[0] = call.get());
    boolean shown = found[0] instanceof Number || found[0] instanceof Boolean;
    return what + " " + (shown || found[0] instanceof String ? found[0] : outcome);
  }
}
