package org.vramkit.examples.transformer;

import org.vramkit.api.allocator.Allocation;

/** A block of the transformer: attention, then an MLP with GELU, both beside a residual path. */
final class Block {
  private static final int WIDENING = 4;

  private final LayerNorm norm1;
  private final Attention attention;
  private final LayerNorm norm2;
  private final Linear up;
  private final Linear down;
  private final int channels;

  Block(Parameters parameters, String name, ModelSize size) {
    channels = size.channels();
    norm1 = parameters.layerNorm(name + "norm 1", channels);
    attention = new Attention(parameters, name, size);
    norm2 = parameters.layerNorm(name + "norm 2", channels);
    up = parameters.linear(name + "up", channels, WIDENING * channels);
    down = parameters.linear(name + "down", WIDENING * channels, channels);
  }

  /**
   * Values of the forward pass that the backward pass needs.
   *
   * @param wide the input of GELU, with the bias
   */
  record Saved(
      Scope scope,
      LayerNorm.Saved norm1,
      Attention.Saved attention,
      LayerNorm.Saved norm2,
      Allocation wide,
      Allocation activated) {}

  /** Submits the forward pass to {@code out}. Takes the input over. */
  Saved forward(Pass pass, Allocation out, Allocation in) {
    Scope scope = pass.scope();
    scope.own(in);
    LayerNorm.Saved first = norm1.forward(pass, scope, in);
    Allocation middle = scope.floats(pass.count(channels));
    Attention.Saved attended;
    try (Allocation result = pass.temporary(pass.count(channels))) {
      attended = attention.forward(pass, scope, result, first.out());
      addResidual(pass, middle, in, result, attention.last());
    }
    LayerNorm.Saved second = norm2.forward(pass, scope, middle);
    long count = pass.count(WIDENING * channels);
    Allocation wide = scope.floats(count);
    Allocation activated = scope.floats(count);
    up.forward(pass, wide, second.out());
    pass.perElement(
        "gelu",
        count,
        activated,
        wide,
        pass.parameter(up.bias()),
        WIDENING * channels,
        (int) count);
    try (Allocation result = pass.temporary(pass.count(channels))) {
      down.forward(pass, result, activated);
      addResidual(pass, out, middle, result, down);
    }
    return new Saved(scope, first, attended, second, wide, activated);
  }

  private void addResidual(
      Pass pass, Allocation out, Allocation residual, Allocation in, Linear layer) {
    int count = (int) pass.count(channels);
    pass.perElement(
        "add_residual", count, out, residual, in, pass.parameter(layer.bias()), channels, count);
  }

  /** Submits the backward pass, closes what was saved, and returns the gradient of the input. */
  Allocation backward(Pass pass, Saved saved, Allocation gradient) {
    try (Allocation ofMiddle = backwardMlp(pass, saved, gradient);
        Allocation ofNorm1 = attention.backward(pass, saved.attention, ofMiddle)) {
      return norm1.backward(pass, saved.norm1, ofNorm1, ofMiddle);
    } finally {
      saved.scope.close();
    }
  }

  private Allocation backwardMlp(Pass pass, Saved saved, Allocation gradient) {
    long count = pass.count(WIDENING * channels);
    try (Allocation ofWide = down.backward(pass, saved.activated, gradient)) {
      pass.perElement("gelu_backward", count, ofWide, saved.wide, (int) count);
      try (Allocation ofNorm2 = up.backward(pass, saved.norm2.out(), ofWide)) {
        return norm2.backward(pass, saved.norm2, ofNorm2, gradient);
      }
    }
  }
}
