package org.vramkit.cuda;

import java.util.Set;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Stream;
import org.vramkit.cuda.driver.GraphCalls;
import org.vramkit.cuda.driver.Handle;

/** An instantiated graph. */
final class CudaGraph implements Graph {
  private final CudaDevice device;
  private final Handle handle;
  private final GraphCalls calls;
  private final Set<CudaGraphs> devices;
  private final Lifetime life = new Lifetime(this::destroy);

  /**
   * Counts as open on some devices until its end.
   *
   * @param devices those of the captured streams
   */
  CudaGraph(CudaDevice device, Handle handle, Set<CudaGraphs> devices) {
    this.devices = devices;
    this.device = device;
    this.handle = handle;
    this.calls = device.driver.graphs();
    device.context.open.add(OpenHandles.Kind.GRAPH, handle.getAddress(), 0);
  }

  private void destroy() {
    devices.forEach(CudaGraphs::destroyed);
    device.context.open.release(
        OpenHandles.Kind.GRAPH,
        handle.getAddress(),
        () ->
            device.context.release(
                "cuGraphExecDestroy",
                () -> "cannot destroy " + this,
                () -> device.graphs.unrestricted(() -> calls.cuGraphExecDestroy(handle))));
  }

  @Override
  public Device getDevice() {
    return device;
  }

  @Override
  public void launch(Stream stream) {
    CudaStream ours = device.ours(stream);
    life.enter(this);
    try {
      ours.life().enter(ours);
      try {
        device.graphs.requireUncaptured(
            ours,
            "launch " + this,
            "a graph cannot become part of another graph; launch it after the end of the capture,"
                + " or capture its work again");
        device.context.run(
            "cuGraphLaunch",
            () -> "cannot launch " + this + " on " + ours,
            () -> calls.cuGraphLaunch(handle, ours.handle()));
      } finally {
        ours.life().leave();
      }
    } finally {
      life.leave();
    }
  }

  @Override
  public boolean isClosed() {
    return life.isClosed();
  }

  @Override
  public void close() {
    life.close();
  }

  @Override
  public String toString() {
    return "graph 0x" + Long.toHexString(handle.getAddress()) + " of " + device;
  }
}
