package org.vramkit.cuda;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.GraphCalls;
import org.vramkit.cuda.driver.Handle;

/** Captures and graphs. */
final class SimulatedGraphs extends SimulatedCalls implements GraphCalls {
  /** {@code CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED}. */
  private static final int STREAM_CAPTURE_UNSUPPORTED = 900;

  private final AtomicLong numbers = new AtomicLong(0x7000);

  /** The open relaxations of each thread's capture mode, innermost last. */
  private final ThreadLocal<List<Graphs.Relaxation>> relaxed =
      ThreadLocal.withInitial(ArrayList::new);

  SimulatedGraphs(SimulatedProcess process) {
    super(process);
  }

  /** A captured graph and its executable, which the simulator creates together. */
  private record GraphHandle(Graph graph, long number) implements Handle {
    @Override
    public long getAddress() {
      return number;
    }
  }

  /** Returns whether this thread's capture mode forbids the call, as on an H200 with driver 580. */
  private boolean isRefused() {
    return relaxed.get().isEmpty()
        && sim.getDevices().stream().anyMatch(each -> each.getGraphs().isAnyCapturing());
  }

  private Graphs graphs(Handle stream) {
    return stream(stream).getDevice().getGraphs();
  }

  @Override
  public int cuStreamBeginCapture(Handle stream, int mode) {
    return code(() -> graphs(stream).beginCapture(stream(stream)));
  }

  @Override
  public int cuStreamEndCapture(Handle stream, Handle[] graph) {
    return code(
        () ->
            graph[0] =
                new GraphHandle(
                    graphs(stream).endCapture(stream(stream)), numbers.incrementAndGet()));
  }

  @Override
  public int cuStreamIsCapturing(Handle stream, int[] status) {
    return code(() -> status[0] = graphs(stream).isCapturing(stream(stream)) ? 1 : 0);
  }

  @Override
  public int cuThreadExchangeStreamCaptureMode(int[] mode) {
    return here(
        () -> {
          List<Graphs.Relaxation> open = relaxed.get();
          boolean relax = mode[0] == RELAXED;
          mode[0] = open.isEmpty() ? 0 : RELAXED;
          if (relax && open.isEmpty()) {
            open.add(device().getGraphs().relax());
          } else if (!relax) {
            open.forEach(Graphs.Relaxation::close);
            open.clear();
          }
        });
  }

  @Override
  public int cuGraphInstantiate(Handle[] executable, Handle graph) {
    if (isRefused()) {
      return STREAM_CAPTURE_UNSUPPORTED;
    }
    executable[0] = graph;
    return CudaResult.SUCCESS;
  }

  @Override
  public int cuGraphLaunch(Handle executable, Handle stream) {
    return code(() -> ((GraphHandle) executable).graph().launch(stream(stream)));
  }

  @Override
  public int cuGraphExecDestroy(Handle executable) {
    return isRefused()
        ? STREAM_CAPTURE_UNSUPPORTED
        : code(() -> ((GraphHandle) executable).graph().close());
  }

  @Override
  public int cuGraphDestroy(Handle graph) {
    return isRefused() ? STREAM_CAPTURE_UNSUPPORTED : CudaResult.SUCCESS;
  }
}
