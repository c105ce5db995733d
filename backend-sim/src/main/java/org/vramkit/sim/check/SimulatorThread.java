package org.vramkit.sim.check;

import java.util.Objects;

/** A thread of the simulator, unknown to the program. */
public final class SimulatorThread extends Thread {
  /** Creates a daemon thread. */
  public SimulatorThread(Runnable work, String name) {
    super(
        null, Objects.requireNonNull(work, "work"), Objects.requireNonNull(name, "name"), 0, false);
    setDaemon(true);
  }
}
