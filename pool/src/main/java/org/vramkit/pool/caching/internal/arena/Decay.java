package org.vramkit.pool.caching.internal.arena;

/** Gives memory back to the driver that nobody has asked for in a while. Safe for any thread. */
public interface Decay {

  /** Keeps everything. */
  Decay NEVER =
      new Decay() {
        @Override
        public void ride() {}

        @Override
        public long run() {
          return 0;
        }
      };

  /**
   * A thread comes by that has left the hot path anyway, holding no lock. Mostly does nothing;
   * never waits for another thread that is at it, nor for the device.
   */
  void ride();

  /**
   * Does what is due.
   *
   * @return bytes given back
   */
  long run();
}
