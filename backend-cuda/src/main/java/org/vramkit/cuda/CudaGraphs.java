package org.vramkit.cuda;

import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.CaptureException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.GraphCalls;
import org.vramkit.cuda.driver.Handle;

/**
 * Captures streams of a device in thread-local mode, which restricts only the capturing thread.
 * Tracks the captures in progress, so that the driver is not queried while there are none.
 */
final class CudaGraphs implements Graphs {
  private final CudaDevice device;
  private final GraphCalls calls;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  /** Captures in progress that began on this device. Written under the captures' monitor. */
  private volatile int begun;

  /**
   * Captures in progress that have a stream of this device. Written under the captures' monitor,
   * under which the listeners are called.
   */
  private volatile int underWay;

  /**
   * Modules whose kernels were captured; they stay loaded while a capture is in progress or a graph
   * is open. Guarded by its monitor.
   */
  private final Set<CudaModule> captured = new HashSet<>();

  /** Number of graphs with streams of this device that are being made or not destroyed. */
  private final AtomicInteger open = new AtomicInteger();

  CudaGraphs(CudaDevice device) {
    this.device = device;
    this.calls = device.driver.graphs();
  }

  @Override
  public void beginCapture(Stream stream) {
    CudaStream ours = device.ours(stream);
    if (ours.isDefault()) {
      throw new CaptureException(
          "cannot capture the default stream of " + device + "; capture a stream that you created");
    }
    if (isCapturing(ours)) {
      throw new CaptureException(
          "cannot begin to capture " + ours + ": it is being captured; end that capture first");
    }
    captures().begin(ours);
    boolean begun = false;
    try {
      use(
          ours,
          "cuStreamBeginCapture",
          "cannot capture ",
          () -> calls.cuStreamBeginCapture(ours.handle(), GraphCalls.THREAD_LOCAL));
      begun = true;
    } finally {
      if (!begun) {
        ended(ours);
      }
    }
  }

  private void use(CudaStream stream, String call, String wanted, IntSupplier body) {
    stream.life().enter(stream);
    try {
      device.context.run(call, () -> wanted + stream, body);
    } finally {
      stream.life().leave();
    }
  }

  private CudaCaptures captures() {
    return device.getBackend().captures;
  }

  void begun(int change) {
    int before = begun;
    begun = before + change;
  }

  /** Records that a capture has a first stream of this device, or that such a capture ends. */
  void captured(int change) {
    int before = underWay;
    underWay = before + change;
    if (before == 0 || before + change == 0) {
      listeners.forEach(Runnable::run);
    }
  }

  /** Records the end of a capture or of its stream. */
  void ended(CudaStream stream) {
    Set<CudaGraphs> devices = captures().devicesOf(stream);
    captures().end(stream);
    devices.forEach(CudaGraphs::releaseModules);
  }

  /** Keeps a module loaded if a stream on which its kernel is launched is captured. */
  void captures(CudaStream stream, CudaModule module) {
    if (isAnyCaptured() && isCapturing(stream)) {
      synchronized (captured) {
        if (captured.add(module)) {
          module.life().enter(module);
        }
      }
    }
  }

  /** Lets closed modules be unloaded if no capture is in progress and no graph is open. */
  private void releaseModules() {
    List<CudaModule> released = List.of();
    synchronized (captured) {
      if (!isAnyCaptured() && open.get() == 0) {
        released = List.copyOf(captured);
        captured.clear();
      }
    }
    released.forEach(module -> module.life().leave());
  }

  @Override
  public Graph endCapture(Stream stream) {
    CudaStream ours = device.ours(stream);
    if (!isCapturing(ours)) {
      throw new CaptureException(
          "cannot end a capture of "
              + ours
              + ": none is in progress; end it on the stream where it began");
    }
    Handle[] graph = new Handle[1];
    // Counted first, so that the modules of its kernels stay loaded.
    Set<CudaGraphs> devices = captures().devicesOf(ours);
    devices.forEach(each -> each.open.incrementAndGet());
    boolean made = false;
    try {
      try {
        use(
            ours,
            "cuStreamEndCapture",
            "cannot end a capture of ",
            () -> calls.cuStreamEndCapture(ours.handle(), graph));
      } finally {
        if (!isInProgress(ours)) {
          ended(ours);
        }
      }
      Graph instantiated = instantiate(graph[0], ours, devices);
      made = true;
      return instantiated;
    } finally {
      if (!made) {
        devices.forEach(CudaGraphs::destroyed);
      }
    }
  }

  /** Returns whether the capture is still in progress; false once CUDA is lost. */
  private boolean isInProgress(CudaStream stream) {
    try {
      return isCapturing(stream);
    } catch (FatalDeviceException lost) {
      return false;
    }
  }

  private Graph instantiate(Handle graph, CudaStream stream, Set<CudaGraphs> devices) {
    Handle[] made = new Handle[1];
    try {
      device.context.run(
          "cuGraphInstantiate",
          () -> "cannot instantiate the graph captured on " + stream,
          () -> unrestricted(() -> calls.cuGraphInstantiate(made, graph)));
    } finally {
      device.context.release(
          "cuGraphDestroy",
          () -> "cannot destroy the captured graph of " + stream,
          () -> unrestricted(() -> calls.cuGraphDestroy(graph)));
    }
    return new CudaGraph(device, made[0], devices);
  }

  @Override
  public boolean isCapturing(Stream stream) {
    CudaStream ours = device.ours(stream);
    int[] status = new int[1];
    use(
        ours,
        "cuStreamIsCapturing",
        "cannot query whether a capture is in progress on ",
        () -> calls.cuStreamIsCapturing(ours.handle(), status));
    return status[0] != GraphCalls.NOT_CAPTURING;
  }

  @Override
  public boolean isAnyCapturing() {
    return begun > 0;
  }

  @Override
  public boolean isAnyCaptured() {
    return underWay > 0;
  }

  /**
   * Refuses a call that would invalidate a capture or be captured wrongly. The stream may have
   * joined a capture of another device.
   *
   * @param wanted the call, for the message; the stream is appended
   * @param remedy the reason and the remedy
   */
  void requireUncaptured(CudaStream stream, String wanted, String remedy) {
    if (device.getBackend().isAnyCapturing() && isCapturing(stream)) {
      throw new CaptureException(
          "cannot " + wanted + " on " + stream + " while it is captured; " + remedy);
    }
  }

  @Override
  public boolean hasOpenGraphs() {
    return open.get() > 0;
  }

  /** Records that a graph with streams of this device was destroyed, or not made. */
  void destroyed() {
    open.decrementAndGet();
    releaseModules();
  }

  @Override
  public Relaxation relax() {
    int before = exchange(GraphCalls.RELAXED);
    return () -> exchange(before);
  }

  /**
   * Makes a call that the driver considers unsafe on a thread that captures on any device, also
   * through another library: instantiating and destroying graphs. The call does not affect the
   * capture.
   */
  int unrestricted(IntSupplier call) {
    int[] mode = {GraphCalls.RELAXED};
    int refused = calls.cuThreadExchangeStreamCaptureMode(mode);
    if (refused != CudaResult.SUCCESS) {
      return refused;
    }
    try {
      return call.getAsInt();
    } finally {
      // Fails only if CUDA is lost.
      calls.cuThreadExchangeStreamCaptureMode(mode);
    }
  }

  private int exchange(int mode) {
    int[] value = {mode};
    device.context.run(
        "cuThreadExchangeStreamCaptureMode",
        () -> "cannot change the capture mode of this thread",
        () -> calls.cuThreadExchangeStreamCaptureMode(value));
    return value[0];
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
