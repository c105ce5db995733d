package org.vramkit.pool.caching;

import java.util.concurrent.atomic.AtomicBoolean;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.pool.support.PoolDriverCalls;

/**
 * A graph that keeps memory of a private pool. Launches of a graph run one after another, so the
 * memory is no longer used once an event after the latest launch is complete.
 */
final class PoolGraph implements Graph {
  /** The state of the latest launch. */
  private enum Work {
    NONE,
    /** An event is recorded after the launch. */
    MARKED,
    /** The event could not be recorded, so the close waits for the whole device. */
    UNMARKED
  }

  private final Graph graph;
  private final String memory;
  private final Runnable release;
  private final Event launched;
  private final AtomicBoolean closed = new AtomicBoolean();

  private volatile Work work = Work.NONE;

  /**
   * Wraps a graph.
   *
   * @param memory name of the pool
   * @param release releases the memory
   */
  PoolGraph(Graph graph, Event launched, String memory, Runnable release) {
    this.graph = graph;
    this.memory = memory;
    this.release = release;
    this.launched = launched;
  }

  @Override
  public Device getDevice() {
    return graph.getDevice();
  }

  /** Launches the graph, one launch at a time, so that the event follows the latest launch. */
  @Override
  public synchronized void launch(Stream stream) {
    graph.launch(stream);
    work = Work.UNMARKED;
    PoolDriverCalls.make(graph.getDevice(), () -> launched.record(stream));
    work = Work.MARKED;
  }

  @Override
  public boolean isClosed() {
    return closed.get();
  }

  /**
   * Waits for the launches and returns the memory to the pool. If the wait fails, the graph keeps
   * the memory, and the next close tries again.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      awaitLaunches();
    } catch (FatalDeviceException lost) {
      Batch.after(lost, this::end);
      throw lost;
    } catch (RuntimeException | Error e) {
      closed.set(false);
      throw e;
    }
    end();
  }

  private void awaitLaunches() {
    switch (work) {
      case NONE -> {}
      case MARKED -> PoolDriverCalls.await(launched, graph.getDevice());
      case UNMARKED -> PoolDriverCalls.awaitAll(graph.getDevice());
    }
  }

  private void end() {
    Batch.run(graph::close, launched::close, release);
  }

  @Override
  public String toString() {
    return graph + " with memory of " + memory;
  }
}
