package org.vramkit.partition.scatter;

import org.vramkit.api.device.Stream;

/** The clock of chunks: the machine's, or a test's virtual one. */
interface Pace {
  /** Real time; waits are the driver's. */
  Pace REAL =
      new Pace() {
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

  /** Waits for a chunk's work on its device. */
  void await(Stream stream);

  /**
   * Returns whether the caller may deal when it looks, at a moment that nothing in the run decides.
   */
  default boolean isDealtWhileWaiting() {
    return true;
  }

  /** A chunk was dealt and will be worked on; under the run's lock. */
  default void dealt() {}

  /** The thread of a chunk has told of its end and, where need be, dealt what comes after it. */
  default void ended() {}
}
