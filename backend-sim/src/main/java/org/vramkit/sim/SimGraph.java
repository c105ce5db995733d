package org.vramkit.sim;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.ClosedException;
import org.vramkit.sim.check.OwnedBlock;
import org.vramkit.sim.check.Snapshot;
import org.vramkit.sim.driver.DriverFunction;
import org.vramkit.sim.hazard.LeakKind;
import org.vramkit.sim.recording.CallNote;
import org.vramkit.sim.timeline.Point;

/**
 * A graph of captured work. At each launch its first branch runs on the launching stream, and each
 * other branch on its own queue. Launches of one graph run one after the other, so each queue
 * serves one launch at a time.
 */
final class SimGraph implements Graph {
  private final DeviceCore device;
  private final Engine engine;
  final long handle;
  private final List<Consumer<GraphLaunch>> steps;
  private final List<Integer> devices;
  private final Set<OwnedBlock> lasting = new HashSet<>();
  private final List<StreamQueue> branches = new ArrayList<>();
  private final Runnable atClose;

  /** The end of the latest launch, and its clock; null before the first. */
  private @Nullable Point end;

  private @Nullable Snapshot known;
  private volatile boolean closed;

  /** Creates a graph of captured work. */
  SimGraph(DeviceCore device, long handle, Capture captured, Runnable atClose) {
    this(device, handle, captured.steps, captured.devices(), atClose);
    lasting.addAll(captured.lasting());
  }

  /**
   * Creates a graph.
   *
   * @param steps the effects of a launch
   * @param devices the device of each branch
   */
  SimGraph(
      DeviceCore device,
      long handle,
      List<Consumer<GraphLaunch>> steps,
      List<Integer> devices,
      Runnable atClose) {
    this.device = device;
    this.engine = device.engine;
    this.handle = handle;
    this.atClose = atClose;
    this.steps = List.copyOf(steps);
    this.devices = List.copyOf(devices);
  }

  /** Lets launches follow those of a graph that this one replaces. */
  void follow(SimGraph replaced) {
    end = replaced.end;
    known = replaced.known;
  }

  private CallNote on(CallNote step) {
    return device.on(step, handle);
  }

  @Override
  public Device getDevice() {
    return device.device;
  }

  private void requireOpen() {
    if (closed) {
      engine.checker.apiErrors.closed(toString());
      throw new ClosedException(
          this,
          "it cannot be launched any more",
          "launch it before closing it, or capture it anew");
    }
  }

  @Override
  public void launch(Stream stream) {
    Objects.requireNonNull(stream, "stream");
    device.recording.perform(
        "launch-graph",
        step -> device.note(on(step), stream),
        () -> {
          StreamQueue ours = device.ours(stream);
          requireOpen();
          ours.requireOpen();
          if (ours.capture != null) {
            throw new CaptureException(
                ("cannot launch %s on %s, which is captured: a graph cannot become part of"
                        + " another graph; launch it after the end of the capture, or capture its work"
                        + " again")
                    .formatted(this, ours));
          }
          device.captures.requireNoneBlockingKeeping(ours);
          ours.call(DriverFunction.GRAPH_LAUNCH, 0);
          ours.followDefaultStream();
          launchOn(ours);
        });
  }

  private void launchOn(StreamQueue first) {
    engine.checker.follow(first.clock);
    if (end != null && known != null) {
      first.waitUntil(end, known);
    }
    List<StreamQueue> queues = new ArrayList<>();
    queues.add(first);
    queues.addAll(branches());
    String words = "graph 0x" + Long.toHexString(handle);
    GraphLaunch launch = new GraphLaunch(engine.checker, words, queues, lasting);
    steps.forEach(step -> step.accept(launch));
    end = first.tail();
    known = first.clock.snapshot();
  }

  private List<StreamQueue> branches() {
    for (int i = branches.size() + 1; i < devices.size(); i++) {
      StreamQueue branch =
          new StreamQueue(
              engine,
              "branch " + i + " of " + this,
              devices.get(i),
              handle,
              "",
              StreamKind.NON_BLOCKING,
              independent -> {});
      branches.add(branch);
      if (branch.device != device.ordinal) {
        device.all.get(branch.device).streams.adopt(branch);
      }
    }
    return branches;
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    device.recording.perform(
        "close-graph",
        this::on,
        () -> {
          if (!closed) {
            closed = true;
            atClose.run();
            branches.forEach(StreamQueue::close);
            engine.releaseHandle(
                LeakKind.GRAPH, device.ordinal, handle, DriverFunction.GRAPH_EXEC_DESTROY, 0);
          }
        });
  }

  @Override
  public String toString() {
    return "graph 0x" + Long.toHexString(handle) + " of device " + device.ordinal;
  }
}
