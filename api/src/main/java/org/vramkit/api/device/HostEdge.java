package org.vramkit.api.device;

/**
 * Order between threads of the host: where one thread leaves what it knows to be done on the
 * devices, and another takes it over. Goes with a lock, a queue or a latch that orders the two in
 * Java already; never blocks itself. The simulator's checker listens; a real backend has {@link
 * #NONE}. Safe for any thread.
 */
public interface HostEdge {

  /** Hears nothing. */
  HostEdge NONE =
      new HostEdge() {
        @Override
        public void publish() {}

        @Override
        public void receive() {}
      };

  /** Leaves what the calling thread knows; call it before the lock is released. */
  void publish();

  /** Takes over all that was left; call it after the lock was taken. */
  void receive();
}
