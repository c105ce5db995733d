package org.vramkit.examples.transformer;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.examples.transformer.Matmul.Product;
import org.vramkit.examples.transformer.Parameters.Tensor;

/** Multiplies each row by a matrix. The next kernel adds the bias, which saves a pass. */
record Linear(String name, Tensor weight, Tensor bias, int in, int out) {

  /** Submits the product without the bias. */
  void forward(Pass pass, Allocation result, Allocation input) {
    pass.multiply(
        Product.of(pass.rows, out, in),
        result.getAddress(),
        input.getAddress(),
        pass.parameter(weight).getAddress());
  }

  /** Submits the backward pass and returns the gradient of the input. */
  Allocation backward(Pass pass, Allocation input, Allocation gradient) {
    pass.startWeights(name);
    pass.multiplyForWeights(
        name, Product.of(in, out, pass.rows).aTransposed(), weight, input, gradient);
    int parts = Kernels.partsOf(pass.rows);
    try (WorkspaceLease partial = pass.workspace((long) parts * out)) {
      pass.kernels.perColumn(
          pass.weights, "column_sums", out, parts, partial, gradient, pass.rows, out);
      pass.kernels.perElement(
          pass.weights, "add_partial", out, pass.gradient(bias), partial, parts, out);
    }
    Allocation result = pass.temporary(pass.count(in));
    pass.multiply(
        Product.of(pass.rows, in, out).bTransposed(),
        result.getAddress(),
        gradient.getAddress(),
        pass.parameter(weight).getAddress());
    return result;
  }
}
