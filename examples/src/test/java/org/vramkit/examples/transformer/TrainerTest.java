package org.vramkit.examples.transformer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.SimBackend;
import org.vramkit.testkit.sim.SimulatedGpu;

@DisplayName("A training of the transformer on the simulator")
@SimulatedGpu(memory = "64MiB")
class TrainerTest {
  private static final int STEPS = 10;

  /** A model that trains in a tenth of a second. */
  static final ModelSize SMALL = new ModelSize(1, 2, 16, 8, 32);

  @Test
  @DisplayName("is a main method, whose argument is the number of steps")
  void main() {
    TrainTransformer.main(new String[] {"1"});
  }

  @Test
  @DisplayName("lowers the loss of a batch")
  void lowersLoss(SimBackend gpu) {
    TrainingOptions options = TrainingOptions.of(SMALL, 2);
    Corpus.Batch batch = new Corpus(SMALL).next(options.sequences());
    List<Float> losses = new ArrayList<>();
    try (Trainer trainer = Trainer.open(gpu, options)) {
      for (int i = 0; i < STEPS; i++) {
        losses.add(trainer.step(batch));
      }
    }
    assertTrue(losses.get(STEPS - 1) < 0.9f * losses.get(0), () -> "losses " + losses);
  }
}
