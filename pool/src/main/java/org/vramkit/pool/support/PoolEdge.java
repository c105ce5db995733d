package org.vramkit.pool.support;

import org.vramkit.api.device.Device;
import org.vramkit.api.device.HostEdge;
import org.vramkit.api.device.MemoryObserver;

/**
 * Order between the threads that take turns at a pool's lock, for the pool alone: a program in
 * which they happened to take turns has not handed anything over.
 */
public final class PoolEdge implements HostEdge {
  private final HostEdge edge;
  private final MemoryObserver observer;

  private PoolEdge(HostEdge edge, MemoryObserver observer) {
    this.edge = edge;
    this.observer = observer;
  }

  /** A new one, for a pool of memory of a device. */
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
