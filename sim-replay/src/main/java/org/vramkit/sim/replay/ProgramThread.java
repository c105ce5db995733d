package org.vramkit.sim.replay;

import java.util.Objects;

/**
 * A thread of the host that makes calls.
 *
 * @param name as the program called it
 * @param worker whether it is one of {@link org.vramkit.sim.thread.WorkerThreads}, which are handed
 *     over to with each task and from it
 */
public record ProgramThread(String name, boolean worker) {
  /** Refuses a missing name. */
  public ProgramThread {
    Objects.requireNonNull(name, "name");
  }

  /** A thread of the program's own. */
  public static ProgramThread named(String name) {
    return new ProgramThread(name, false);
  }
}
