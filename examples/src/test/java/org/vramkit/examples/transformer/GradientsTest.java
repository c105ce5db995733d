package org.vramkit.examples.transformer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.Batch;
import org.vramkit.examples.transformer.Parameters.Tensor;
import org.vramkit.examples.transformer.Replica.Part;
import org.vramkit.sim.SimBackend;
import org.vramkit.testkit.sim.SimulatedGpu;

@DisplayName("The gradients of the transformer")
@SimulatedGpu(memory = "64MiB")
class GradientsTest {
  private static final ModelSize SIZE = new ModelSize(2, 2, 16, 8, 32);
  private static final int SEQUENCES = 2;
  private static final long SEED = 7;

  /** Parameters are larger than at the start of a training, so that each has an effect. */
  private static final float SPREAD = 8;

  /** The length of a step along a direction: so short that the loss is nearly linear. */
  private static final double STEP = 0.005;

  private static final double TOLERANCE = 0.01;

  /** Smaller, because a wrong gradient of one tensor is a small part of the slope of all. */
  private static final double TOLERANCE_OF_ALL = 0.001;

  private final Random random = new Random(SEED);

  @Test
  @DisplayName("equal the finite difference of the loss along a direction in all tensors at once")
  void allTensors(SimBackend gpu) {
    try (Trainer trainer = Trainer.open(gpu, TrainingOptions.of(SIZE, SEQUENCES))) {
      compare(trainer, layout -> List.of(layout.all()), TOLERANCE_OF_ALL);
    }
  }

  @Test
  @Tag("nightly")
  @DisplayName("equal finite differences of the loss, tensor by tensor")
  void finiteDifferences(SimBackend gpu) {
    try (Trainer trainer = Trainer.open(gpu, TrainingOptions.of(SIZE, SEQUENCES))) {
      compare(trainer, layout -> layout.all().stream().map(List::of).toList(), TOLERANCE);
    }
  }

  /** Compares the slopes along a direction in each group of tensors. */
  private void compare(
      Trainer trainer, Function<Parameters, List<List<Tensor>>> groups, double tolerance) {
    Corpus.Batch batch = new Corpus(SIZE).next(SEQUENCES);
    Parameters layout = trainer.getReplicas().get(0).getLayout();
    float[] values = layout.start(SEED);
    for (int i = 0; i < values.length; i++) {
      values[i] = SPREAD * values[i] + (float) (0.1 * random.nextGaussian());
    }
    float[] gradients = new float[values.length];
    loss(trainer, batch, values, gradients);
    for (List<Tensor> group : groups.apply(layout)) {
      double step = STEP / Math.sqrt(group.size());
      float[] above = values;
      float[] below = values;
      double expected = 0;
      for (Tensor each : group) {
        double[] direction = direction(each, gradients);
        for (int i = 0; i < direction.length; i++) {
          expected += direction[i] * gradients[(int) each.first() + i];
        }
        above = moved(above, each, direction, step);
        below = moved(below, each, direction, -step);
      }
      double up = loss(trainer, batch, above, null);
      double down = loss(trainer, batch, below, null);
      assertEquals(
          expected,
          (up - down) / (2 * step),
          tolerance * Math.abs(expected),
          group.stream().map(Tensor::name).toList() + ", seed " + SEED);
    }
  }

  /** Returns a direction of length 1 between that of the gradient and a random one. */
  private double[] direction(Tensor tensor, float[] gradients) {
    double[] steep = new double[(int) tensor.count()];
    double[] other = new double[steep.length];
    for (int i = 0; i < steep.length; i++) {
      steep[i] = gradients[(int) tensor.first() + i];
      other[i] = random.nextGaussian();
    }
    double[] sum = new double[steep.length];
    for (int i = 0; i < sum.length; i++) {
      sum[i] = steep[i] / length(steep) + other[i] / length(other);
    }
    double length = length(sum);
    for (int i = 0; i < sum.length; i++) {
      sum[i] /= length;
    }
    return sum;
  }

  private static double length(double[] vector) {
    double squares = 0;
    for (double each : vector) {
      squares += each * each;
    }
    return Math.sqrt(squares);
  }

  private static float[] moved(float[] values, Tensor tensor, double[] direction, double step) {
    float[] moved = values.clone();
    for (int i = 0; i < direction.length; i++) {
      moved[(int) tensor.first() + i] += (float) (step * direction[i]);
    }
    return moved;
  }

  private static double loss(
      Trainer trainer, Corpus.Batch batch, float[] values, float @Nullable [] gradients) {
    trainer.getReplicas().get(0).getParameters().copyFrom(values);
    List<Part> parts = trainer.backpropagate(batch);
    if (gradients != null) {
      parts.get(0).gradients().copyTo(gradients);
    }
    double loss = Trainer.lossOf(parts);
    Batch.forEach(parts, Part::close);
    return loss;
  }
}
