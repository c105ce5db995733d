package org.vramkit.gpu.truth;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;

/**
 * Random calls of two threads while streams are captured, most of which are refused and end the
 * captures. The answers are what the calls did, and not what queries found.
 */
final class CaptureProgram implements RandomProgram {
  private static final int EVENTS = 5;
  private static final int BYTES = 4096;

  private final SplittableRandom random;
  private final Lab lab;
  private final List<Stream> streams;

  /** Memory of each stream's device. */
  private final List<Long> memory;

  private final List<Event> events = new ArrayList<>();
  private final List<DriverPool> pools = new ArrayList<>();
  private final List<Graph> graphs = new ArrayList<>();
  private final List<Long> plain = new ArrayList<>();
  private final Deque<Graphs.Relaxation> relaxed = new ArrayDeque<>();
  private final List<String> answers = new ArrayList<>();

  /**
   * Creates a program.
   *
   * @param lab has the second thread
   * @param memory for each stream some memory that its device may use
   */
  CaptureProgram(Lab lab, List<Stream> streams, List<Long> memory, long seed) {
    this.lab = lab;
    this.streams = streams;
    this.memory = memory;
    this.random = new SplittableRandom(seed);
  }

  @Override
  public List<String> run() {
    for (int i = 0; i < EVENTS; i++) {
      events.add(streams.get(random.nextInt(streams.size())).getDevice().createEvent());
    }
    streams.stream()
        .map(Stream::getDevice)
        .distinct()
        .forEach(each -> pools.add(each.getDriverPools().create(0)));
    for (int i = 0; i < Program.CALLS; i++) {
      String by = random.nextInt(5) == 0 ? "elsewhere " : "";
      answers.add(i + " " + by + step(!by.isEmpty()));
    }
    end();
    return answers;
  }

  private String make(boolean elsewhere, String what, Runnable call) {
    return what + " " + (elsewhere ? lab.elsewhere(call) : Probe.outcome(call));
  }

  private String step(boolean elsewhere) {
    int on = random.nextInt(streams.size());
    Stream stream = streams.get(on);
    Device device = stream.getDevice();
    int number = random.nextInt(EVENTS);
    Event event = events.get(number);
    return switch (random.nextInt(32)) {
      case 0, 1, 2, 3 -> make(elsewhere, "begin on " + on, () -> begin(stream));
      case 4, 5, 6 -> make(elsewhere, "end on " + on, () -> end(stream));
      case 7, 8, 9, 10 ->
          make(elsewhere, "fill on " + on, () -> stream.fill(memory.get(on), (byte) 1, BYTES));
      case 11, 12, 13, 14, 15 -> record(elsewhere, on, number);
      case 16, 17, 18, 19 ->
          make(elsewhere, on + " waits for event " + number, () -> stream.waitFor(event));
      case 20 -> make(elsewhere, "query of event " + number, event::isComplete);
      case 21 -> make(elsewhere, "wait for event " + number, event::synchronize);
      case 22 -> make(elsewhere, "query of " + on, stream::isIdle);
      case 23 -> make(elsewhere, "wait for " + on, stream::synchronize);
      case 24 -> make(elsewhere, "wait for the device of " + on, device::synchronize);
      case 25 -> plain(elsewhere, device);
      case 26 -> pool(elsewhere, on);
      case 27 -> relax(device);
      case 28 -> state(stream, on);
      case 29, 30 -> graph(elsewhere, on);
      default -> other(elsewhere, on);
    };
  }

  private static void begin(Stream stream) {
    stream.getDevice().getGraphs().beginCapture(stream);
  }

  private void end(Stream stream) {
    graphs.add(stream.getDevice().getGraphs().endCapture(stream));
  }

  private String record(boolean elsewhere, int on, int number) {
    Stream stream = streams.get(on);
    if (events.get(number).getDevice() != stream.getDevice()) {
      events.get(number).close();
      events.set(number, stream.getDevice().createEvent());
    }
    Event event = events.get(number);
    return make(elsewhere, "record of event " + number + " on " + on, () -> event.record(stream));
  }

  private String plain(boolean elsewhere, Device device) {
    if (plain.isEmpty() || random.nextBoolean()) {
      return make(elsewhere, "alloc", () -> plain.add(device.getMemory().allocate(1)));
    }
    long address = plain.get(0);
    return make(elsewhere, "free", () -> freePlain(device, address));
  }

  private void freePlain(Device device, long address) {
    device.getMemory().free(address);
    plain.remove(address);
  }

  private String pool(boolean elsewhere, int on) {
    Stream stream = streams.get(on);
    DriverPool pool =
        pools.stream()
            .filter(each -> each.getDevice() == stream.getDevice())
            .findFirst()
            .orElseThrow();
    return switch (random.nextInt(4)) {
      case 0 -> make(elsewhere, "statistics", pool::getStatistics);
      case 1 -> make(elsewhere, "trim", () -> pool.trim(0));
      default ->
          make(
              elsewhere,
              "alloc of a pool on " + on,
              () -> pool.free(pool.allocate(1, stream), stream));
    };
  }

  /** Opens or ends a relaxation of this thread. */
  private String relax(Device device) {
    return relaxed.isEmpty() || random.nextInt(3) == 0
        ? make(false, "relax", () -> relaxed.push(device.getGraphs().relax()))
        : make(false, "end of a relaxation", () -> relaxed.pop().close());
  }

  private static String state(Stream stream, int on) {
    Graphs of = stream.getDevice().getGraphs();
    return Program.answer("is captured: " + on, () -> of.isCapturing(stream))
        + " "
        + of.isAnyCapturing()
        + " "
        + of.hasOpenGraphs();
  }

  private String graph(boolean elsewhere, int on) {
    if (graphs.isEmpty()) {
      return "no graph";
    }
    int number = random.nextInt(graphs.size());
    Graph graph = graphs.get(number);
    if (random.nextInt(4) == 0) {
      graphs.remove(number);
      return make(elsewhere, "close of graph " + number, graph::close);
    }
    return make(
        elsewhere, "launch of graph " + number + " on " + on, () -> graph.launch(streams.get(on)));
  }

  private String other(boolean elsewhere, int on) {
    Stream stream = streams.get(on);
    Device device = stream.getDevice();
    return switch (random.nextInt(8)) {
      case 0 -> make(elsewhere, "memory info", device::getMemoryInfo);
      case 1 -> make(elsewhere, "page-locked memory", () -> pageLocked(device));
      case 2 -> make(elsewhere, "a new stream", () -> device.createStream().close());
      case 3 ->
          make(
              elsewhere,
              "copy to a heap buffer on " + on,
              () -> stream.copyToHost(ByteBuffer.allocate(4), memory.get(on)));
      case 4 ->
          make(
              elsewhere,
              "copy from a heap buffer on " + on,
              () -> stream.copyToDevice(memory.get(on), ByteBuffer.allocate(4)));
      case 5 ->
          make(
              elsewhere,
              "page-locked copy on " + on,
              () -> stream.copyToDevice(memory.get(on), lab.flags, 0, 16));
      case 6 ->
          make(elsewhere, "empty fill on " + on, () -> stream.fill(memory.get(on), (byte) 1, 0));
      default -> make(elsewhere, "a new event", () -> device.createEvent().close());
    };
  }

  private static void pageLocked(Device device) {
    PinnedBuffer buffer = device.getPinnedMemory().allocate(1);
    buffer.close();
  }

  private void end() {
    while (!relaxed.isEmpty()) {
      relaxed.pop().close();
    }
    for (boolean elsewhere : new boolean[] {false, true}) {
      for (int i = 0; i < streams.size(); i++) {
        Stream stream = streams.get(i);
        if (!stream.isDefault() && stream.getDevice().getGraphs().isCapturing(stream)) {
          answers.add(make(elsewhere, "at last end on " + i, () -> end(stream)));
        }
      }
    }
    streams.stream().map(Stream::getDevice).distinct().forEach(Device::synchronize);
    graphs.forEach(Graph::close);
    events.forEach(Event::close);
    for (long address : plain) {
      streams.get(0).getDevice().getMemory().free(address);
    }
    pools.forEach(DriverPool::close);
  }
}
