package org.vramkit.cuda;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
 * Captures streams of a device, so that only the capturing thread is restricted. Which captures are
 * under way is counted here: while there is none, the driver is not asked.
 */
final class CudaGraphs implements Graphs {
  private final CudaDevice device;
  private final GraphCalls calls;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  /**
   * Handles of the streams where captures began that go on; changes are reported under its monitor.
   */
  private final Set<Long> origins = ConcurrentHashMap.newKeySet();

  /** Graphs that were captured here and are not destroyed. */
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
          "cannot capture the default stream of " + device + ": capture one that you create");
    }
    if (isCapturing(ours)) {
      throw new CaptureException(
          "cannot begin to capture " + ours + ": it is captured already; end that first");
    }
    began(ours);
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

  private void began(CudaStream stream) {
    synchronized (origins) {
      boolean first = origins.isEmpty();
      origins.add(stream.getHandle());
      if (first) {
        listeners.forEach(Runnable::run);
      }
    }
  }

  /** A capture is over, or its stream. */
  void ended(CudaStream stream) {
    synchronized (origins) {
      if (origins.remove(stream.getHandle()) && origins.isEmpty()) {
        listeners.forEach(Runnable::run);
      }
    }
  }

  @Override
  public Graph endCapture(Stream stream) {
    CudaStream ours = device.ours(stream);
    if (!isCapturing(ours)) {
      throw new CaptureException(
          "cannot end a capture of "
              + ours
              + ": none is under way; end it on the stream where it"
              + " began");
    }
    Handle[] captured = new Handle[1];
    try {
      use(
          ours,
          "cuStreamEndCapture",
          "cannot end a capture of ",
          () -> calls.cuStreamEndCapture(ours.handle(), captured));
    } finally {
      if (!goesOn(ours)) {
        ended(ours);
      }
    }
    return instantiate(captured[0], ours);
  }

  /** Returns whether a capture does; none does once CUDA is lost. */
  private boolean goesOn(CudaStream stream) {
    try {
      return isCapturing(stream);
    } catch (FatalDeviceException lost) {
      return false;
    }
  }

  private Graph instantiate(Handle captured, CudaStream stream) {
    Handle[] made = new Handle[1];
    try {
      device.context.run(
          "cuGraphInstantiate",
          () -> "cannot make what was captured of " + stream + " ready to be launched",
          () -> unrestricted(() -> calls.cuGraphInstantiate(made, captured)));
    } finally {
      device.context.giveBack(
          "cuGraphDestroy",
          () -> "cannot give back what was captured of " + stream,
          () -> unrestricted(() -> calls.cuGraphDestroy(captured)));
    }
    open.incrementAndGet();
    return new CudaGraph(device, made[0]);
  }

  @Override
  public boolean isCapturing(Stream stream) {
    CudaStream ours = device.ours(stream);
    int[] status = new int[1];
    use(
        ours,
        "cuStreamIsCapturing",
        "cannot tell whether a capture is under way on ",
        () -> calls.cuStreamIsCapturing(ours.handle(), status));
    return status[0] != GraphCalls.NOT_CAPTURING;
  }

  @Override
  public boolean isAnyCapturing() {
    return !origins.isEmpty();
  }

  /**
   * Refuses what would spoil a capture, or be captured as something that it is not.
   *
   * @param wanted what, with the stream to come
   * @param remedy the reason and what to do
   */
  void requireUncaptured(CudaStream stream, String wanted, String remedy) {
    if (isAnyCapturing() && isCapturing(stream)) {
      throw new CaptureException(
          "cannot " + wanted + " on " + stream + " while it is captured; " + remedy);
    }
  }

  @Override
  public boolean hasOpenGraphs() {
    return open.get() > 0;
  }

  /** A graph is closed, and the last call that uses it is over. */
  void destroyed() {
    open.decrementAndGet();
  }

  @Override
  public Relaxation relax() {
    int before = exchange(GraphCalls.RELAXED);
    return () -> exchange(before);
  }

  /**
   * Makes a call that the driver counts among the unsafe ones of a thread that captures, on
   * whatever device, and through whatever library: making and destroying graphs. It has nothing to
   * do with what is captured.
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
      // Fails only where nothing can be done any more.
      calls.cuThreadExchangeStreamCaptureMode(mode);
    }
  }

  private int exchange(int mode) {
    int[] value = {mode};
    device.context.run(
        "cuThreadExchangeStreamCaptureMode",
        () -> "cannot change what this thread may do while it captures",
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
