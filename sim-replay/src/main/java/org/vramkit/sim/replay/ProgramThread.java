package org.vramkit.sim.replay;

import java.util.Objects;

/**
 * A host thread that makes calls.
 *
 * @param name name in the program
 * @param worker whether it is one of {@link org.vramkit.sim.thread.WorkerThreads}, for which the
 *     checker assumes a hand-off before and after each task
 */
public record ProgramThread(String name, boolean worker) {
  /** Refuses a missing name. */
  public ProgramThread {
    Objects.requireNonNull(name, "name");
  }

  /** Returns a thread that the program created. */
  public static ProgramThread named(String name) {
    return new ProgramThread(name, false);
  }
}
