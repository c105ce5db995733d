package org.vramkit.sim;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.vramkit.api.units.Count;
import org.vramkit.sim.hazard.LeakReport;

/**
 * Warns once that a simulator was closed with hazards, or with something left open, where nothing
 * else reports it: it was found on the class path, by a program that asked for a backend.
 */
final class HazardWarning implements Consumer<SimBackend> {
  private final Consumer<String> log;
  private final AtomicBoolean given = new AtomicBoolean();

  HazardWarning(Consumer<String> log) {
    this.log = log;
  }

  @Override
  public void accept(SimBackend closed) {
    long hazards = closed.getHazardCount();
    LeakReport leaks = closed.getLeakReport();
    if ((hazards > 0 || !leaks.isEmpty()) && given.compareAndSet(false, true)) {
      String found =
          hazards == 0
              ? ""
              : "the simulator was closed with "
                  + Count.of(hazards, "hazard")
                  + (hazards == 1 ? ": " : ", the first of them: ")
                  + closed.getHazards().get(0);
      String left =
          leaks.isEmpty()
              ? ""
              : "the simulator was closed before all that was made of it, " + leaks;
      log.accept(
          found + left + "a test with @SimulatedGpu fails on it, and shows the lines of your code");
    }
  }
}
