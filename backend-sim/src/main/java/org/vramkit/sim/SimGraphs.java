package org.vramkit.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.hazard.LeakKind;

/** Captures the streams of a device. */
final class SimGraphs implements Graphs {
  private final DeviceCore device;
  private final Engine engine;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  /** The number of captures in progress that began here. Written under the backend's lock. */
  private volatile int begun;

  /**
   * The number of captures in progress that have a stream of this device. Written under the
   * backend's lock.
   */
  private volatile int underWay;

  /**
   * The number of open graphs with work of this device's streams. Written under the backend's lock.
   */
  private volatile int open;

  /** Actions that wait for the end of all captures and graphs. Guarded by the backend's lock. */
  private final List<Runnable> waiting = new ArrayList<>();

  SimGraphs(DeviceCore device) {
    this.device = device;
    this.engine = device.engine;
    device.captures.graphs.add(this);
  }

  @Override
  public void beginCapture(Stream stream) {
    beginCapture(stream, Capture.Mode.THREAD_LOCAL);
  }

  void beginCapture(Stream stream, Capture.Mode mode) {
    Objects.requireNonNull(stream, "stream");
    device.recording.perform(
        "begin-capture",
        step -> device.note(device.on(step), stream),
        () -> {
          StreamQueue ours = device.ours(stream);
          ours.requireOpen();
          if (ours.isDefault()) {
            throw new CaptureException(
                "cannot capture " + ours + "; capture a stream that you created");
          }
          if (ours.capture != null) {
            throw new CaptureException(
                "cannot begin to capture " + ours + ": it is captured already; end that first");
          }
          ours.call(DriverFunction.STREAM_BEGIN_CAPTURE, 0);
          changeBegun(1);
          change(1);
          device.captures.begin(ours, mode);
        });
  }

  /** Runs an action once no capture is in progress and no graph is open. */
  void whenNoneIsOpen(Runnable action) {
    waiting.add(action);
    runWaiting();
  }

  private void runWaiting() {
    if (underWay == 0 && open == 0 && !waiting.isEmpty()) {
      List<Runnable> actions = List.copyOf(waiting);
      waiting.clear();
      actions.forEach(Runnable::run);
    }
  }

  /** Makes a stream of this device wait for an event of a capture, which it thereby joins. */
  void await(Capture capture, StreamQueue stream, Capture.Mark mark) {
    if (!capture.concerns(device.ordinal, null)) {
      change(1);
    }
    capture.await(stream, mark, engine.checker.isInPool());
  }

  private void changeBegun(int by) {
    int before = begun;
    begun = before + by;
  }

  private void change(int by) {
    int before = underWay;
    underWay = before + by;
    if (before == 0 || before + by == 0) {
      listeners.forEach(Runnable::run);
    }
  }

  @Override
  public Graph endCapture(Stream stream) {
    Objects.requireNonNull(stream, "stream");
    return device.recording.make(
        "end-capture",
        step -> device.note(device.on(step), stream),
        () -> end(stream),
        graph -> graph.handle);
  }

  private SimGraph end(Stream stream) {
    StreamQueue ours = device.ours(stream);
    ours.requireOpen();
    device.captures.requireNoneBlockingKeeping(ours);
    Capture capture = ours.capture;
    String wanted = "cannot end a capture of " + ours;
    if (capture == null) {
      throw new CaptureException(
          wanted + ": none is in progress; end it on the stream where it began");
    }
    DriverFunction function = DriverFunction.STREAM_END_CAPTURE;
    ours.call(function, 0);
    if (capture.origin != ours) {
      capture.invalidate();
      throw Captures.refusal(DriverStatus.STREAM_CAPTURE_UNMATCHED, function, wanted);
    }
    if (capture.isInvalidated()) {
      discard(capture);
      throw Captures.refusal(DriverStatus.STREAM_CAPTURE_INVALIDATED, function, wanted);
    }
    if (!capture.mayBeEndedBy(Thread.currentThread())) {
      // The capture has ended nevertheless, as on a real driver.
      discard(capture);
      throw Captures.refusal(DriverStatus.STREAM_CAPTURE_WRONG_THREAD, function, wanted);
    }
    StreamQueue unjoined = capture.unjoined();
    discard(capture);
    if (unjoined != null) {
      throw Captures.refusal(
          DriverStatus.STREAM_CAPTURE_UNJOINED, function, wanted + " without " + unjoined);
    }
    ours.call(DriverFunction.GRAPH_INSTANTIATE, 0);
    ours.call(DriverFunction.GRAPH_DESTROY, 0);
    requireNoRefusal(capture.refusal());
    long[] need = ContextMemory.ofGraph(capture.nodes(), capture.kernels());
    device.take(need, DriverFunction.GRAPH_INSTANTIATE);
    return opened(
        new SimGraph(device, device.newHandle(), capture, () -> closed(need, capture.devices())),
        capture.devices());
  }

  /** Refuses a graph as the driver does when it instantiates it. */
  private void requireNoRefusal(@Nullable String reason) {
    if (reason != null) {
      throw engine.invalid(
          DriverFunction.GRAPH_INSTANTIATE,
          "cannot instantiate a graph of device " + device.ordinal + ": " + reason);
    }
  }

  private SimGraph opened(SimGraph graph, List<Integer> devices) {
    changeOpen(1, devices);
    engine.openHandles.add(LeakKind.GRAPH, device.ordinal, graph.handle, 0);
    engine.openHandles.watch(LeakKind.GRAPH, graph.handle, graph);
    return graph;
  }

  /** Captures work on a stream of its own, which no other capture and no call sees. */
  SimGraphNode define(Consumer<StreamQueue> work) {
    return engine.recording.unrecorded(
        () -> {
          StreamQueue alone =
              new StreamQueue(
                  engine,
                  "node of a graph of device " + device.ordinal,
                  device.ordinal,
                  device.newHandle(),
                  "",
                  StreamKind.NON_BLOCKING,
                  independent -> {});
          Capture capture = new Capture(alone, Capture.Mode.RELAXED);
          try {
            work.accept(alone);
          } finally {
            capture.end();
            alone.close();
          }
          return new SimGraphNode(device.ordinal, capture);
        });
  }

  /** Creates a graph in which each node is a branch. */
  Graph create(
      List<SimGraphNode> nodes, List<? extends Set<Integer>> before, @Nullable Graph replaced) {
    return engine.recording.unrecorded(
        () -> {
          engine.call(DriverFunction.GRAPH_INSTANTIATE, device.ordinal, 0);
          nodes.forEach(node -> requireNoRefusal(node.refusal()));
          List<Consumer<GraphLaunch>> steps = new ArrayList<>();
          List<Integer> devices = new ArrayList<>(List.of(device.ordinal));
          Set<Integer> last = new TreeSet<>();
          steps.add(launch -> launch.mark(0, 0));
          for (int i = 0; i < nodes.size(); i++) {
            int branch = i + 1;
            devices.add(nodes.get(i).device);
            steps.add(launch -> launch.await(branch, 0, false));
            for (int each : before.get(i)) {
              last.remove(each + 1);
              steps.add(launch -> launch.await(branch, each + 1, false));
            }
            for (Consumer<GraphLaunch> step : nodes.get(i).steps) {
              steps.add(launch -> step.accept(launch.on(branch)));
            }
            steps.add(launch -> launch.mark(branch, branch));
            last.add(branch);
          }
          last.forEach(each -> steps.add(launch -> launch.await(0, each, false)));
          int kernels = (int) nodes.stream().filter(node -> node.isKernel).count();
          long[] need = ContextMemory.ofGraph(nodes.size(), kernels);
          device.take(need, DriverFunction.GRAPH_INSTANTIATE);
          SimGraph graph =
              new SimGraph(device, device.newHandle(), steps, devices, () -> closed(need, devices));
          if (replaced instanceof SimGraph earlier) {
            graph.follow(earlier);
          }
          return opened(graph, devices);
        });
  }

  void discard(Capture capture) {
    device.captures.end(capture);
    changeBegun(-1);
    of(capture.devices()).forEach(each -> each.change(-1));
  }

  private List<SimGraphs> of(List<Integer> devices) {
    return devices.stream().distinct().map(device.captures.graphs::get).toList();
  }

  @Override
  public boolean isCapturing(Stream stream) {
    Objects.requireNonNull(stream, "stream");
    return device.recording.unrecorded(
        () -> {
          StreamQueue ours = device.ours(stream);
          ours.requireOpen();
          ours.call(DriverFunction.STREAM_IS_CAPTURING, 0);
          device.captures.requireNoneBlockingKeeping(ours);
          return ours.capture != null;
        });
  }

  @Override
  public boolean isAnyCapturing() {
    return begun > 0;
  }

  @Override
  public boolean isAnyCaptured() {
    return underWay > 0;
  }

  private void changeOpen(int by, List<Integer> devices) {
    for (SimGraphs each : of(devices)) {
      int before = each.open;
      each.open = before + by;
      each.runWaiting();
    }
  }

  private void closed(long[] need, List<Integer> devices) {
    device.leave(need);
    changeOpen(-1, devices);
  }

  @Override
  public boolean hasOpenGraphs() {
    return open > 0;
  }

  @Override
  public Relaxation relax() {
    return engine.recording.make(
        "relax-capture",
        step -> device.on(step),
        () -> {
          engine.call(DriverFunction.THREAD_EXCHANGE_CAPTURE_MODE, device.ordinal, 0);
          device.captures.relax(1);
          return new Relaxed();
        },
        relaxed -> relaxed.number);
  }

  private final class Relaxed implements Relaxation {
    private final long number = engine.newNumber();
    private boolean closed;

    @Override
    public void close() {
      engine.recording.perform(
          "end-relaxation",
          step -> device.on(step, number),
          () -> {
            if (!closed) {
              closed = true;
              device.captures.relax(-1);
            }
          });
    }
  }

  @Override
  public void addCaptureListener(Runnable listener) {
    listeners.add(Objects.requireNonNull(listener, "listener"));
  }

  @Override
  public void removeCaptureListener(Runnable listener) {
    listeners.remove(Objects.requireNonNull(listener, "listener"));
  }
}
