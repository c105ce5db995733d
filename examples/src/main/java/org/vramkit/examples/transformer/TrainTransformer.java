package org.vramkit.examples.transformer;

import java.util.Locale;
import org.vramkit.api.device.Backend;
import org.vramkit.api.discovery.Backends;

/**
 * Trains a tiny GPT-2 on the source of its own kernels: {@code TrainTransformer [STEPS]}. Runs on
 * the backend of the class path; through {@code javacpp}, cuBLASLt multiplies the matrices.
 */
public final class TrainTransformer {
  private static final int STEPS = 10;
  private static final int SEQUENCES = 8;

  private TrainTransformer() {}

  /** Prints the loss of each step. */
  public static void main(String[] arguments) {
    int steps = arguments.length > 0 ? Integer.parseInt(arguments[0]) : STEPS;
    try (Backend backend = Backends.open();
        Trainer trainer = Trainer.open(backend, optionsOn(backend))) {
      for (int step = 1; step <= steps; step++) {
        System.out.printf(Locale.ROOT, "step %d: loss %.6f%n", step, trainer.step());
      }
    }
  }

  private static TrainingOptions optionsOn(Backend backend) {
    return TrainingOptions.of(ModelSize.TINY, SEQUENCES)
        .withCublasLt(backend.getName().equals("javacpp"));
  }
}
