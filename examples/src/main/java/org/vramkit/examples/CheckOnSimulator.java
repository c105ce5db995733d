package org.vramkit.examples;

import java.util.function.Consumer;
import org.vramkit.api.device.Backend;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

/** A program of yours on a simulated GPU, outside any test. */
public final class CheckOnSimulator {
  private CheckOnSimulator() {}

  /** Runs it on the allocate-and-copy example. */
  public static void main(String[] arguments) {
    System.out.println(run(AllocateAndCopy::run));
  }

  /**
   * Runs a program and tells what the checker found.
   *
   * @param program closes all that it takes
   */
  public static String run(Consumer<Backend> program) {
    SimBackend gpu = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).seed(7).build();
    try (gpu) {
      program.accept(gpu);
      return gpu.getHazards().size() + " hazards, " + gpu.getLeaks().size() + " leaks";
    }
  }
}
