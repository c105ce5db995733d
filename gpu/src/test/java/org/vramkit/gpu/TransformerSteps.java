package org.vramkit.gpu;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.vramkit.api.device.Backend;
import org.vramkit.api.discovery.Backends;
import org.vramkit.examples.transformer.MemorySystem;
import org.vramkit.examples.transformer.ModelSize;
import org.vramkit.examples.transformer.Trainer;
import org.vramkit.examples.transformer.TrainingOptions;

/**
 * Trains the transformer of the examples: compares the losses on a backend with those on the
 * simulator, and the time of a step on the driver's plain memory, on its pool and on Vramkit's.
 */
final class TransformerSteps {
  private static final int SEQUENCES = 8;
  private static final int COMPARED = 10;
  private static final double MOST_APART = 1e-4;
  private static final int ROUNDS = 5;
  private static final int STEPS_OF_ROUND = 4;

  private TransformerSteps() {}

  /** Runs all; the argument names the backend. */
  public static void main(String[] arguments) {
    double apart;
    try (Backend backend = Backends.open(arguments[0]);
        Backend simulated = Backends.open("sim")) {
      apart = apart(backend, simulated, ModelSize.TINY);
      time(backend, ModelSize.GPT2.withContext(256), ROUNDS);
    }
    System.exit(apart <= MOST_APART ? 0 : 1);
  }

  /** Prints the losses of both backends; returns their largest relative difference. */
  static double apart(Backend backend, Backend simulated, ModelSize size) {
    TrainingOptions options = TrainingOptions.of(size, SEQUENCES);
    List<Float> found = losses(backend, options.withCublasLt(hasCublasLt(backend)));
    List<Float> expected = losses(simulated, options);
    double most = 0;
    for (int i = 0; i < COMPARED; i++) {
      double apart = Math.abs(found.get(i) - expected.get(i)) / expected.get(i);
      most = Math.max(most, apart);
    }
    System.out.printf(
        Locale.ROOT, "losses on %s %s%n       on sim %s%n", backend.getName(), found, expected);
    System.out.printf(Locale.ROOT, "at most %.2e apart%n", most);
    return most;
  }

  private static List<Float> losses(Backend backend, TrainingOptions options) {
    List<Float> losses = new ArrayList<>();
    try (Trainer trainer = Trainer.open(backend, options)) {
      for (int i = 0; i < COMPARED; i++) {
        losses.add(trainer.step());
      }
    }
    return losses;
  }

  /** Prints the first step of each memory system, and the median of later ones, taken in turn. */
  static void time(Backend backend, ModelSize size, int rounds) {
    MemorySystem[] systems = MemorySystem.values();
    TrainingOptions options =
        TrainingOptions.of(size, SEQUENCES).withCublasLt(hasCublasLt(backend));
    double[] first = new double[systems.length];
    double[][] later = new double[systems.length][rounds * STEPS_OF_ROUND];
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < systems.length; i++) {
        try (Trainer trainer = Trainer.open(backend, options.withMemory(systems[i]))) {
          first[i] = millis(trainer);
          for (int step = 0; step < STEPS_OF_ROUND; step++) {
            later[i][round * STEPS_OF_ROUND + step] = millis(trainer);
          }
        }
      }
    }
    for (int i = 0; i < systems.length; i++) {
      Arrays.sort(later[i]);
      System.out.printf(
          Locale.ROOT,
          "{\"memory\": \"%s\", \"first step, ms\": %.2f, \"later step, ms\": %.2f, \"longest, ms\": %.2f}%n",
          systems[i].name().toLowerCase(Locale.ROOT),
          first[i],
          later[i][later[i].length / 2],
          later[i][later[i].length - 1]);
    }
  }

  private static double millis(Trainer trainer) {
    long begun = System.nanoTime();
    trainer.step();
    return (System.nanoTime() - begun) / 1e6;
  }

  private static boolean hasCublasLt(Backend backend) {
    return backend.getName().equals("javacpp");
  }
}
