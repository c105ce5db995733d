package org.vramkit.api.device;

/**
 * A happens-before edge between host threads, for the simulator's checker. One thread publishes
 * which device work it knows to be complete, and another thread receives this knowledge. Use it
 * beside a lock, queue or latch that already orders the two threads in Java; the edge itself never
 * blocks. On a real backend edges have no effect. Safe for any thread.
 */
public interface HostEdge {

  /** An edge without effect. */
  HostEdge NONE =
      new HostEdge() {
        @Override
        public void publish() {}

        @Override
        public void receive() {}
      };

  /** Publishes what the calling thread knows. Call it before releasing the lock. */
  void publish();

  /** Receives everything published so far. Call it after taking the lock. */
  void receive();
}
