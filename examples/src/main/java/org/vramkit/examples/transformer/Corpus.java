package org.vramkit.examples.transformer;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The text that the model learns: the source of its own kernels, one token for each character. */
final class Corpus {
  private final byte[] text = Kernels.read("transformer.cu").getBytes(StandardCharsets.UTF_8);
  private final ModelSize size;
  private int next;

  Corpus(ModelSize size) {
    this.size = size;
  }

  /** Sequences of a batch: for each the tokens of its context, and the token after it. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Batch(int[][] sequences) {
    /** Returns the tokens that the model sees, of sequences in a range. */
    int[] inputs(int from, int to) {
      return flat(from, to, 0);
    }

    /** Returns the tokens that the model predicts: for each position the next token. */
    int[] targets(int from, int to) {
      return flat(from, to, 1);
    }

    private int[] flat(int from, int to, int shift) {
      int context = sequences[0].length - 1;
      int[] tokens = new int[(to - from) * context];
      for (int i = from; i < to; i++) {
        System.arraycopy(sequences[i], shift, tokens, (i - from) * context, context);
      }
      return tokens;
    }

    /** Returns the number of predicted tokens. */
    int count() {
      return sequences.length * (sequences[0].length - 1);
    }
  }

  /** Returns the next sequences, which start again where the text ends. */
  Batch next(int sequences) {
    int[][] batch = new int[sequences][];
    Arrays.setAll(batch, i -> sequence());
    return new Batch(batch);
  }

  private int[] sequence() {
    int[] tokens = new int[size.context() + 1];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = (text[(next + i) % text.length] & 0xff) % size.vocabulary();
    }
    next = (next + size.context()) % text.length;
    return tokens;
  }
}
