package org.vramkit.examples.transformer;

import java.util.List;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.MemoryArgument;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.Batch;
import org.vramkit.examples.transformer.Order.Point;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.pinned.PooledPinnedBuffer;

/** The model on one device. All replicas have the same parameters, to the bit. */
final class Replica implements AutoCloseable {
  private final Device device;
  private final ModelSize size;
  private final Parameters layout;
  private final Resources resources;
  private final Transformer model;
  private final TypedBuffer parameters;
  private final TypedBuffer means;
  private final TypedBuffer squares;

  Replica(Device device, Device[] peers, TrainingOptions options, Setup setup, float[] start) {
    this.device = device;
    this.size = options.size();
    this.layout = new Parameters(size);
    this.resources = new Resources(device, peers, options, setup);
    try {
      model = new Transformer(size, layout, resources);
      parameters = resources.keep(floats());
      parameters.copyFrom(start);
      means = resources.keep(zeros());
      squares = resources.keep(zeros());
    } catch (RuntimeException | Error e) {
      Batch.after(e, resources::close);
      throw e;
    }
  }

  private TypedBuffer floats() {
    return resources.buffers.acquire(ElementType.FLOAT32, layout.count(), main());
  }

  private TypedBuffer zeros() {
    return resources.buffers.acquireZeroed(ElementType.FLOAT32, layout.count(), main());
  }

  private Stream main() {
    return resources.main;
  }

  /** Returns the device. */
  Device getDevice() {
    return device;
  }

  /** Returns the places of the parameters. */
  Parameters getLayout() {
    return layout;
  }

  /** Returns the parameters. */
  TypedBuffer getParameters() {
    return parameters;
  }

  /**
   * The gradients and the loss of a part of the batch.
   *
   * @param first the first sequence of the part
   * @param loss the loss, once the tile has ended
   */
  record Part(Replica replica, int first, TypedBuffer gradients, PooledPinnedBuffer loss)
      implements AutoCloseable {
    @Override
    public void close() {
      Batch.run(gradients::close, loss::close);
    }
  }

  /** Submits the passes of some sequences. The stream of the tile waits for the result. */
  Part backpropagate(Corpus.Batch batch, int from, int to, Stream tile) {
    TypedBuffer gradients = floats();
    PooledPinnedBuffer loss = resources.hostBuffers.acquire(Float.BYTES);
    Part part = new Part(this, from, gradients, loss);
    Order order = resources.order;
    try (Pass pass = new Pass(resources, parameters, gradients, to - from, size.context())) {
      try {
        float scale = 1f / batch.count();
        model.train(pass, batch.inputs(from, to), batch.targets(from, to), scale, loss);
      } finally {
        order.makeWait(Point.WEIGHTS_DONE, "", main(), resources.weights);
      }
    } catch (RuntimeException | Error e) {
      Batch.after(e, part::close);
      throw e;
    }
    order.makeWait(Point.TILE_DONE, "", tile, main());
    order.makeWait(Point.LOSS_COPIED, "", tile, resources.copies);
    return part;
  }

  /**
   * Submits the update of the parameters by the sum of the gradients of all parts, which are
   * complete.
   *
   * @param parts the parts in the order of their sequences, the same for all replicas
   * @param step the number of the step, from 1
   */
  void update(List<Part> parts, int step) {
    if (parts.size() == 1 && parts.get(0).replica == this) {
      update(parts.get(0).gradients, step);
      return;
    }
    try (TypedBuffer sum = floats()) {
      MemoryArgument before = parts.get(0).gradients;
      for (Part each : parts.subList(1, parts.size())) {
        add(sum, before, each.gradients);
        before = sum;
      }
      parts.stream().map(Part::replica).distinct().forEach(this::letWait);
      update((TypedBuffer) before, step);
    }
  }

  private void add(TypedBuffer sum, MemoryArgument a, MemoryArgument b) {
    int count = Math.toIntExact(layout.count());
    resources.kernels.perElement(main(), "add", count, sum, a, b, count);
  }

  /** Makes another replica wait until this one has read its gradients. */
  private void letWait(Replica other) {
    if (other != this) {
      String where = "device " + device.getOrdinal();
      resources.order.makeWait(Point.PEERS_DONE, where, other.main(), main());
    }
  }

  private void update(TypedBuffer gradients, int step) {
    long matrices = layout.matrixCount();
    update(gradients, 0, matrices, step, true);
    update(gradients, matrices, layout.count() - matrices, step, false);
  }

  private void update(TypedBuffer gradients, long from, long count, int step, boolean decays) {
    resources.kernels.perElement(
        main(),
        "adamw",
        count,
        parameters.slice(from, count),
        means.slice(from, count),
        squares.slice(from, count),
        gradients.slice(from, count),
        AdamW.struct(step, decays),
        Math.toIntExact(count));
  }

  @Override
  public void close() {
    resources.close();
  }
}
