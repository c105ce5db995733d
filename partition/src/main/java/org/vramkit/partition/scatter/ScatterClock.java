package org.vramkit.partition.scatter;

import org.vramkit.api.device.Stream;

/** The clock of a scatter: real time, or a test's virtual time. */
interface ScatterClock {
  /** Real time and the driver's waits. */
  ScatterClock REAL =
      new ScatterClock() {
        @Override
        public long nanoTime() {
          return System.nanoTime();
        }

        @Override
        public void await(Stream stream) {
          stream.synchronize();
        }
      };

  long nanoTime();

  /** Blocks until a chunk's work on its device is complete. */
  void await(Stream stream);

  /**
   * Returns whether the periodic check may assign chunks; false on a virtual clock, because the
   * check runs at real times.
   */
  default boolean mayAssignWhileWaiting() {
    return true;
  }

  /** Called with the run's lock held when a chunk is assigned. */
  default void assigned() {}

  /** Called with the run's lock held when the end of a chunk was recorded. */
  default void ended() {}
}
