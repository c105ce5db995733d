package org.vramkit.examples.transformer;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.examples.transformer.Matmul.Product;

/** Causal attention of several heads. */
final class Attention {
  private static final int PARTS = 3;

  private final Linear qkv;
  private final Linear projection;
  private final ModelSize size;

  Attention(Parameters parameters, String name, ModelSize size) {
    this.size = size;
    qkv = parameters.linear(name + "qkv", size.channels(), PARTS * size.channels());
    projection = parameters.linear(name + "projection", size.channels(), size.channels());
  }

  /**
   * Values of the forward pass that the backward pass needs.
   *
   * @param heads queries, keys and values of each head
   * @param weights the weight of each position for each other
   * @param merged the weighted values
   */
  record Saved(Allocation in, Allocation heads, Allocation weights, Allocation merged) {}

  /** Returns the layer whose bias is added to the result. */
  Linear last() {
    return projection;
  }

  /** Submits the forward pass; {@code result} lacks the bias. */
  Saved forward(Pass pass, Scope scope, Allocation result, Allocation in) {
    long count = pass.count(size.channels());
    Allocation heads = scope.floats(PARTS * count);
    try (Allocation together = pass.temporary(PARTS * count)) {
      qkv.forward(pass, together, in);
      split(pass, heads, together, pass.parameter(qkv.bias()), PARTS);
    }
    Allocation weights = scope.floats(pairs(pass));
    pass.multiply(
        overHeads(pass, size.context(), size.context(), size.headWidth()).bTransposed(),
        weights.getAddress(),
        query(heads),
        key(heads, count));
    pass.kernels.perRow(
        pass.main, "causal_softmax", headRows(pass), weights, scale(), size.context());
    Allocation merged = scope.floats(count);
    try (Allocation attended = pass.temporary(count)) {
      pass.multiply(
          overHeads(pass, size.context(), size.headWidth(), size.context()),
          attended.getAddress(),
          weights.getAddress(),
          value(heads, count));
      merge(pass, merged, attended, 1);
    }
    projection.forward(pass, result, merged);
    return new Saved(in, heads, weights, merged);
  }

  /** Submits the backward pass and returns the gradient of the input. */
  Allocation backward(Pass pass, Saved saved, Allocation gradient) {
    long count = pass.count(size.channels());
    Product toWidth = overHeads(pass, size.context(), size.headWidth(), size.context());
    try (Allocation together = pass.temporary(PARTS * count)) {
      try (Allocation attended = pass.temporary(count);
          Allocation heads = pass.temporary(PARTS * count);
          Allocation scores = pass.temporary(pairs(pass))) {
        try (Allocation merged = projection.backward(pass, saved.merged, gradient)) {
          split(pass, attended, merged, 0L, 1);
        }
        pass.multiply(
            overHeads(pass, size.context(), size.context(), size.headWidth()).bTransposed(),
            scores.getAddress(),
            attended.getAddress(),
            value(saved.heads, count));
        pass.multiply(
            toWidth.aTransposed(),
            value(heads, count),
            saved.weights.getAddress(),
            attended.getAddress());
        pass.kernels.perRow(
            pass.main,
            "causal_softmax_backward",
            headRows(pass),
            scores,
            saved.weights,
            scale(),
            size.context());
        pass.multiply(toWidth, query(heads), scores.getAddress(), key(saved.heads, count));
        pass.multiply(
            toWidth.aTransposed(), key(heads, count), scores.getAddress(), query(saved.heads));
        merge(pass, together, heads, PARTS);
      }
      return qkv.backward(pass, saved.in, together);
    }
  }

  private void split(Pass pass, Allocation out, Allocation in, Object bias, int parts) {
    pass.kernels.perElement(
        pass.main,
        "split_heads",
        parts * pass.count(size.channels()),
        out,
        in,
        bias,
        parts,
        pass.sequences,
        size.context(),
        size.heads(),
        size.headWidth());
  }

  private void merge(Pass pass, Allocation out, Allocation in, int parts) {
    pass.kernels.perElement(
        pass.main,
        "merge_heads",
        parts * pass.count(size.channels()),
        out,
        in,
        parts,
        pass.sequences,
        size.context(),
        size.heads(),
        size.headWidth());
  }

  private Product overHeads(Pass pass, int m, int n, int k) {
    return Product.of(m, n, k).times(pass.sequences * size.heads());
  }

  private int headRows(Pass pass) {
    return pass.rows * size.heads();
  }

  private long pairs(Pass pass) {
    return (long) headRows(pass) * size.context();
  }

  private float scale() {
    return (float) (1 / Math.sqrt(size.headWidth()));
  }

  private static long query(Allocation heads) {
    return heads.getAddress();
  }

  private static long key(Allocation heads, long count) {
    return heads.getAddress() + count * Float.BYTES;
  }

  private static long value(Allocation heads, long count) {
    return heads.getAddress() + 2 * count * Float.BYTES;
  }
}
