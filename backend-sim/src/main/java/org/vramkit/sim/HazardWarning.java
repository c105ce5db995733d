package org.vramkit.sim;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.vramkit.api.units.Count;

/**
 * Warns once that a simulator was closed with hazards, where nobody is known to look: it was found
 * on the class path, by a program that asked for a backend.
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
    if (hazards > 0 && given.compareAndSet(false, true)) {
      log.accept(
          "the simulator was closed with "
              + Count.of(hazards, "hazard")
              + (hazards == 1 ? ": " : ", the first of them: ")
              + closed.getHazards().get(0)
              + "a test with @SimulatedGpu fails on it, and shows the lines of your code");
    }
  }
}
