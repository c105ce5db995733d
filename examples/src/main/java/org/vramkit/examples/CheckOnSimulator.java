package org.vramkit.examples;

import java.util.function.Consumer;
import org.vramkit.api.device.Backend;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

/** Runs a program on a simulated GPU and prints what its checker found. */
public final class CheckOnSimulator {
  private CheckOnSimulator() {}

  /** Checks the example {@link AllocateAndCopy}. */
  public static void main(String[] arguments) {
    System.out.println(run(AllocateAndCopy::run));
  }

  /**
   * Runs a program and returns a summary of the checker's findings.
   *
   * @param program the program, which must close all its resources
   */
  public static String run(Consumer<Backend> program) {
    SimBackend gpu = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).seed(7).build();
    try (gpu) {
      program.accept(gpu);
      return gpu.getHazards().size() + " hazards, " + gpu.getLeaks().size() + " leaks";
    }
  }
}
