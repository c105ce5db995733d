package org.vramkit.sim.check;

import java.util.Objects;

/** A thread of the simulator's own: nothing that the program would know of. */
public final class SimulatorThread extends Thread {
  /** A daemon. */
  public SimulatorThread(Runnable work, String name) {
    super(
        null, Objects.requireNonNull(work, "work"), Objects.requireNonNull(name, "name"), 0, false);
    setDaemon(true);
  }

  /** Returns whether the calling thread is one. */
  public static boolean isCaller() {
    return Thread.currentThread() instanceof SimulatorThread;
  }
}
