package org.vramkit.examples.transformer;

import org.jspecify.annotations.Nullable;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.examples.transformer.Parameters.Tensor;

/** Normalizes each row, then scales and shifts each channel. */
record LayerNorm(String name, Tensor weight, Tensor bias, int channels) {

  /** Values of the forward pass that the backward pass needs. */
  record Saved(Allocation in, Allocation out, Allocation means, Allocation scales) {}

  /** Submits the forward pass. */
  Saved forward(Pass pass, Scope scope, Allocation in) {
    Allocation out = scope.floats(pass.count(channels));
    Allocation means = scope.floats(pass.rows);
    Allocation scales = scope.floats(pass.rows);
    pass.perRow(
        "layer_norm",
        out,
        means,
        scales,
        in,
        pass.parameter(weight),
        pass.parameter(bias),
        channels);
    return new Saved(in, out, means, scales);
  }

  /**
   * Submits the backward pass and returns the gradient of the input.
   *
   * @param gradient the gradient of the output
   * @param residual a gradient that is added, for an input that is also used elsewhere
   */
  Allocation backward(Pass pass, Saved saved, Allocation gradient, @Nullable Allocation residual) {
    pass.startWeights(name);
    int parts = Kernels.partsOf(pass.rows);
    try (WorkspaceLease partial = pass.workspace(2L * parts * channels)) {
      pass.kernels.perColumn(
          pass.weights,
          "layer_norm_sums",
          channels,
          parts,
          partial,
          gradient,
          saved.in,
          saved.means,
          saved.scales,
          pass.rows,
          channels);
      // The bias follows the weight.
      pass.kernels.perElement(
          pass.weights,
          "add_partial",
          2L * channels,
          pass.gradient(weight),
          partial,
          parts,
          2 * channels);
    }
    Allocation result = pass.temporary(pass.count(channels));
    pass.perRow(
        "layer_norm_backward",
        result,
        residual == null ? 0L : residual,
        gradient,
        saved.in,
        pass.parameter(weight),
        saved.means,
        saved.scales,
        channels);
    return result;
  }
}
