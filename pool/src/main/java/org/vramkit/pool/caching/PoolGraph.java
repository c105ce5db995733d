package org.vramkit.pool.caching;

import java.util.concurrent.atomic.AtomicBoolean;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Stream;
import org.vramkit.pool.support.OwnCalls;
import org.vramkit.pool.support.Waits;

/**
 * A graph that holds memory of a private pool. Launches of one graph come one after the other, so
 * one event behind the latest tells when nothing uses the memory any more.
 */
final class PoolGraph implements Graph {
  private final Graph graph;
  private final String memory;
  private final Runnable release;
  private final Event launched;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Holds it from now on.
   *
   * @param memory the pool, for people
   * @param release gives the memory back
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

  /** One at a time, so that the event is behind the latest. */
  @Override
  public synchronized void launch(Stream stream) {
    graph.launch(stream);
    OwnCalls.make(graph.getDevice(), () -> launched.record(stream));
  }

  @Override
  public boolean isClosed() {
    return closed.get();
  }

  /** Waits for the launches, and gives the memory back to the pool. */
  @Override
  @SuppressWarnings("try") // the graph is closed, not used
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try (Event latest = launched;
        Graph ending = graph) {
      Waits.await(latest, graph.getDevice());
    } finally {
      release.run();
    }
  }

  @Override
  public String toString() {
    return graph + " with memory of " + memory;
  }
}
