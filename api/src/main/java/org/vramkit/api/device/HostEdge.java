package org.vramkit.api.device;

/**
 * A happens-before edge between host threads, for the simulator's checker: one thread publishes
 * which device work it knows to be complete, and another receives it. Use it beside a lock, queue
 * or latch that already orders the two threads in Java; the edge itself never blocks. A real
 * backend returns {@link #NONE}. Safe for any thread.
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
