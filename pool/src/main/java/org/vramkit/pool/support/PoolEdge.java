package org.vramkit.pool.support;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.HostEdge;
import org.vramkit.api.device.MemoryObserver;

/**
 * A happens-before edge between threads that take a pool's lock in turn. It orders accesses of the
 * pool alone: the chance order of locking orders nothing in the program.
 */
public final class PoolEdge implements HostEdge {
  private final HostEdge edge;
  private final MemoryObserver observer;

  private PoolEdge(HostEdge edge, MemoryObserver observer) {
    this.edge = edge;
    this.observer = observer;
  }

  /** Creates an edge for a pool of a device. */
  public static HostEdge of(Device device) {
    HostEdge edge = device.createHostEdge();
    return edge == HostEdge.NONE ? edge : new PoolEdge(edge, device.getMemoryObserver());
  }

  @Override
  public void publish() {
    edge.publish();
  }

  @Override
  public void receive() {
    OwnCalls.make(observer, edge::receive);
  }
}
