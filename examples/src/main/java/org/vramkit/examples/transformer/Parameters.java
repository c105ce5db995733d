package org.vramkit.examples.transformer;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The places of all parameters of a model in one buffer: first the matrices, which decay, then
 * biases and the parameters of layer norms. Gradients and the moments of AdamW have the same
 * places.
 */
final class Parameters {
  private static final double DEVIATION = 0.02;

  /** A tensor of parameters: floats from {@code first} on, which begin with {@code start}. */
  record Tensor(String name, long first, long count, Start start) {}

  /** The elements of a tensor before the training. */
  enum Start {
    RANDOM,
    ZERO,
    ONE
  }

  final Tensor tokenEmbedding;
  final Tensor positionEmbedding;
  final List<Block> blocks = new ArrayList<>();
  final LayerNorm lastNorm;

  private final List<Tensor> tensors = new ArrayList<>();
  private final long matrixCount;
  private long nextMatrix;
  private long nextVector;

  Parameters(ModelSize size) {
    long channels = size.channels();
    long rows = size.vocabulary() + size.context() + 12 * channels * size.layers();
    matrixCount = rows * channels;
    nextVector = matrixCount;
    tokenEmbedding = matrix("tokens", size.vocabulary(), size.channels());
    positionEmbedding = matrix("positions", size.context(), size.channels());
    for (int i = 0; i < size.layers(); i++) {
      blocks.add(new Block(this, "block " + i + " ", size));
    }
    lastNorm = layerNorm("last norm", size.channels());
    assert nextMatrix == matrixCount : "matrices take " + nextMatrix + ", not " + matrixCount;
  }

  /** Adds a layer that multiplies by a matrix and adds a bias. */
  Linear linear(String name, int in, int out) {
    return new Linear(
        name, matrix(name, in, out), vector(name + " bias", out, Start.ZERO), in, out);
  }

  /** Adds a layer norm, the gradients of whose weight and bias must be adjacent. */
  LayerNorm layerNorm(String name, int channels) {
    Tensor weight = vector(name + " weight", channels, Start.ONE);
    return new LayerNorm(name, weight, vector(name + " bias", channels, Start.ZERO), channels);
  }

  private Tensor matrix(String name, int rows, int columns) {
    Tensor added = new Tensor(name, nextMatrix, (long) rows * columns, Start.RANDOM);
    nextMatrix += added.count;
    tensors.add(added);
    return added;
  }

  private Tensor vector(String name, int count, Start start) {
    Tensor added = new Tensor(name, nextVector, count, start);
    nextVector += count;
    tensors.add(added);
    return added;
  }

  /** Returns all tensors. */
  List<Tensor> all() {
    return tensors;
  }

  /** Returns the number of floats of all tensors. */
  long count() {
    return nextVector;
  }

  /** Returns the number of floats of the matrices. */
  long matrixCount() {
    return matrixCount;
  }

  /** Returns the values before the training, the same for the same seed. */
  float[] start(long seed) {
    Random random = new Random(seed);
    float[] values = new float[Math.toIntExact(count())];
    for (Tensor each : tensors) {
      for (int i = (int) each.first; i < each.first + each.count; i++) {
        values[i] =
            switch (each.start) {
              case RANDOM -> (float) (DEVIATION * random.nextGaussian());
              case ZERO -> 0;
              case ONE -> 1;
            };
      }
    }
    return values;
  }
}
