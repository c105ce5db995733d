package org.vramkit.examples.transformer;

import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.WorkspaceLease;
import org.vramkit.api.device.MemoryArgument;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.examples.transformer.Matmul.Product;
import org.vramkit.examples.transformer.Order.Point;
import org.vramkit.examples.transformer.Parameters.Tensor;
import org.vramkit.pool.buffer.TypedBuffer;

/**
 * One forward and backward pass over some sequences on one device. The layers submit their work
 * through it.
 *
 * <p>The main stream runs the forward pass and the gradients of activations, each of which needs
 * the one before. The gradient of a weight is needed only at the end, so the weight stream computes
 * it meanwhile. It reads memory of the main stream: it waits until the gradient of the layer's
 * output is complete, and its uses are recorded. Launches record theirs; those of {@link Matmul},
 * which gets addresses, are recorded here.
 */
final class Pass implements AutoCloseable {
  final Kernels kernels;
  final Stream main;
  final Stream weights;
  final int sequences;
  final int rows;

  private final Resources resources;
  private final TypedBuffer parameters;
  private final TypedBuffer gradients;

  private final Scope temporaries;
  private final Scope activations;

  /** All memory, of which a pass that fails leaves some open. */
  private final List<Scope> scopes = new ArrayList<>();

  Pass(
      Resources resources,
      TypedBuffer parameters,
      TypedBuffer gradients,
      int sequences,
      int context) {
    this.resources = resources;
    this.kernels = resources.kernels;
    this.main = resources.main;
    this.weights = resources.weights;
    this.parameters = parameters;
    this.gradients = gradients;
    this.sequences = sequences;
    this.rows = sequences * context;
    this.temporaries = new Scope(resources.temporaries, main);
    this.activations = scope();
    scopes.add(temporaries);
  }

  /** Returns the number of floats in all rows. */
  long count(int perRow) {
    return (long) rows * perRow;
  }

  /** Allocates floats for the main stream, for a short time. */
  Allocation temporary(long floats) {
    return temporaries.floats(floats);
  }

  /** Allocates floats for the main stream that are kept for the backward pass. */
  Allocation activation(long floats) {
    return activations.floats(floats);
  }

  /** Creates a scope for memory of the main stream that is kept for the backward pass. */
  Scope scope() {
    Scope scope = new Scope(resources.activations, main);
    scopes.add(scope);
    return scope;
  }

  /** Leases floats for the weight stream. */
  WorkspaceLease workspace(long floats) {
    return resources.workspaces.acquire(floats * Float.BYTES, weights);
  }

  /** Returns a parameter. */
  MemoryArgument parameter(Tensor tensor) {
    return parameters.slice(tensor.first(), tensor.count());
  }

  /** Returns the gradient of a parameter, for the weight stream. */
  MemoryArgument gradient(Tensor tensor) {
    return gradients.slice(tensor.first(), tensor.count());
  }

  /** Launches a kernel with a thread for each element on the main stream. */
  void perElement(String kernel, long count, Object... arguments) {
    kernels.perElement(main, kernel, count, arguments);
  }

  /** Launches a kernel with a block for each row on the main stream. */
  void perRow(String kernel, Object... arguments) {
    kernels.perRow(main, kernel, rows, arguments);
  }

  /** Submits a product to the main stream, whose memory belongs to it. */
  void multiply(Product product, long c, long a, long b) {
    resources.matmul.multiply(main, product, c, a, b);
  }

  /** Makes the weight stream wait for the main stream, which has computed a gradient. */
  void startWeights(String where) {
    resources.order.makeWait(Point.GRADIENT_READY, where, weights, main);
  }

  /** Submits the product that gives the gradient of a weight to the weight stream. */
  void multiplyForWeights(
      String where, Product product, Tensor weight, Allocation left, Allocation right) {
    resources.matmul.multiply(
        weights, product, gradient(weight).getAddress(), left.getAddress(), right.getAddress());
    resources.order.recordUse(Point.LEFT_USED, where, left, weights);
    resources.order.recordUse(Point.RIGHT_USED, where, right, weights);
  }

  @Override
  public void close() {
    Batch.forEach(scopes, Scope::close);
  }
}
