package org.vramkit.examples.transformer;

import java.nio.IntBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.device.MemoryArgument;
import org.vramkit.api.device.Stream;
import org.vramkit.examples.transformer.Matmul.Product;
import org.vramkit.examples.transformer.Order.Point;
import org.vramkit.examples.transformer.Parameters.Tensor;
import org.vramkit.pool.buffer.ElementRange;
import org.vramkit.pool.buffer.TypedBuffer;
import org.vramkit.pool.pinned.PooledPinnedBuffer;

/**
 * The model: embeddings, blocks, a last layer norm, and a product with the embeddings of all tokens
 * that gives the logits of the next token.
 */
final class Transformer {
  private final ModelSize size;
  private final Parameters parameters;
  private final Resources resources;
  private final Order order;

  Transformer(ModelSize size, Parameters parameters, Resources resources) {
    this.size = size;
    this.parameters = parameters;
    this.resources = resources;
    this.order = resources.order;
  }

  /**
   * Submits the forward and the backward pass. The gradients are complete once the weight stream
   * is.
   *
   * @param targets for each input the token that follows
   * @param scale the weight of each token in the loss
   * @param loss gets the sum of the losses, on the stream of copies
   */
  void train(Pass pass, int[] inputs, int[] targets, float scale, PooledPinnedBuffer loss) {
    TokenGroups groups = new TokenGroups(inputs, size.vocabulary());
    int laterCount = targets.length + groups.size();
    try (TypedBuffer tokens = integers(inputs.length, pass.main);
        TypedBuffer later = integers(laterCount, resources.copies)) {
      tokens.copyFrom(inputs);
      copyLater(later, targets, groups);
      Deque<Block.Saved> blocks = new ArrayDeque<>();
      LayerNorm.Saved last = forward(pass, tokens, blocks);
      Allocation gradient;
      try (Allocation logits = pass.temporary(pass.count(size.vocabulary()))) {
        multiplyByEmbeddings(pass, logits, last.out());
        order.makeWait(Point.TARGETS_COPIED, "", pass.main, resources.copies);
        computeLoss(pass, logits, later.slice(0, targets.length), scale, loss);
        gradient = backwardHead(pass, last, logits);
      }
      while (!blocks.isEmpty()) {
        Block.Saved saved = blocks.removeLast();
        try (Allocation ofOutput = gradient) {
          gradient = parameters.blocks.get(blocks.size()).backward(pass, saved, ofOutput);
        }
      }
      try (Allocation ofEmbeddings = gradient) {
        backwardEmbeddings(pass, ofEmbeddings, groups, later.slice(targets.length, groups.size()));
      }
    }
  }

  private TypedBuffer integers(int count, Stream stream) {
    return resources.buffers.acquire(ElementType.INT32, count, stream);
  }

  /** Copies what only the loss and the backward pass need, beside the forward pass. */
  private void copyLater(TypedBuffer target, int[] targets, TokenGroups groups) {
    try (PooledPinnedBuffer source = resources.hostBuffers.acquire(target.getSize())) {
      IntBuffer integers = source.getBytes().asIntBuffer();
      integers.put(targets);
      groups.write(integers);
      source.copyToDevice(target.getAddress(), resources.copies);
    }
  }

  private LayerNorm.Saved forward(Pass pass, MemoryArgument tokens, Deque<Block.Saved> blocks) {
    Allocation out = pass.activation(pass.count(size.channels()));
    pass.perRow(
        "embed",
        out,
        tokens,
        pass.parameter(parameters.tokenEmbedding),
        pass.parameter(parameters.positionEmbedding),
        size.context(),
        size.channels());
    for (Block each : parameters.blocks) {
      Allocation in = out;
      out = pass.activation(pass.count(size.channels()));
      blocks.add(each.forward(pass, out, in));
    }
    return parameters.lastNorm.forward(pass, pass.scope(), out);
  }

  private void multiplyByEmbeddings(Pass pass, Allocation logits, Allocation in) {
    pass.multiply(
        Product.of(pass.rows, size.vocabulary(), size.channels()).bTransposed(),
        logits.getAddress(),
        in.getAddress(),
        pass.parameter(parameters.tokenEmbedding).getAddress());
  }

  /** Replaces the logits by their gradient, and copies the loss to the host meanwhile. */
  private void computeLoss(
      Pass pass,
      Allocation logits,
      MemoryArgument targets,
      float scale,
      PooledPinnedBuffer onHost) {
    try (Allocation losses = pass.temporary(pass.rows);
        Allocation loss = pass.temporary(1)) {
      pass.perRow("cross_entropy", losses, logits, targets, scale, size.vocabulary());
      pass.kernels.perRow(pass.main, "sum", 1, loss, losses, pass.rows);
      order.makeWait(Point.LOSS_READY, "", resources.copies, pass.main);
      onHost.copyToHost(loss.getAddress(), resources.copies);
      order.recordUse(Point.LOSS_USED, "", loss, resources.copies);
    }
  }

  private Allocation backwardHead(Pass pass, LayerNorm.Saved last, Allocation ofLogits) {
    Tensor embedding = parameters.tokenEmbedding;
    int vocabulary = size.vocabulary();
    pass.startWeights("head");
    pass.multiplyForWeights(
        "head",
        Product.of(vocabulary, size.channels(), pass.rows).aTransposed(),
        embedding,
        ofLogits,
        last.out());
    try (Allocation ofNorm = pass.temporary(pass.count(size.channels()))) {
      pass.multiply(
          Product.of(pass.rows, size.channels(), vocabulary),
          ofNorm.getAddress(),
          ofLogits.getAddress(),
          pass.parameter(embedding).getAddress());
      return parameters.lastNorm.backward(pass, last, ofNorm, null);
    }
  }

  /** Adds to the gradients of the embeddings, which have those of the head. */
  private void backwardEmbeddings(
      Pass pass, Allocation gradient, TokenGroups groups, ElementRange grouped) {
    pass.startWeights("embeddings");
    pass.kernels.perRow(
        pass.weights,
        "embed_tokens_backward",
        groups.count,
        pass.gradient(parameters.tokenEmbedding),
        gradient,
        grouped,
        grouped.slice(groups.firstAt(), groups.count + 1L),
        grouped.slice(groups.positionsAt(), pass.rows),
        size.channels());
    pass.kernels.perRow(
        pass.weights,
        "embed_positions_backward",
        size.context(),
        pass.gradient(parameters.positionEmbedding),
        gradient,
        pass.sequences,
        size.context(),
        size.channels());
  }
}
