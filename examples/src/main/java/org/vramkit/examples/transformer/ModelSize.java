package org.vramkit.examples.transformer;

/**
 * The size of a model. Channels, context, vocabulary and the channels of a head are multiples of 8,
 * so that each matrix begins at a multiple of 256 bytes, which cuBLASLt expects.
 *
 * @param layers the number of blocks of attention and MLP
 * @param heads the heads of an attention, which divide the channels
 * @param channels the floats that represent a position
 * @param context the positions of a sequence
 * @param vocabulary the number of different tokens
 */
public record ModelSize(int layers, int heads, int channels, int context, int vocabulary) {
  /** A model that the simulator trains in seconds. */
  public static final ModelSize TINY = new ModelSize(2, 2, 32, 16, 128);

  /** The smallest GPT-2, with a vocabulary that is rounded up to a multiple of 64. */
  public static final ModelSize GPT2 = new ModelSize(12, 12, 768, 1024, 50_304);

  /** Checks the sizes. */
  public ModelSize {
    if (layers < 1 || heads < 1 || channels % heads != 0) {
      throw new IllegalArgumentException(
          "a model needs a layer or more, and heads that divide its channels, not %d, %d and %d"
              .formatted(layers, heads, channels));
    }
    for (int each : new int[] {channels / heads, context, vocabulary}) {
      if (each < 8 || each % 8 != 0) {
        throw new IllegalArgumentException(
            "the channels of a head, the context and the vocabulary must be multiples of 8, not "
                + each);
      }
    }
  }

  /** Returns the model with another context, which may be shorter to save time. */
  public ModelSize withContext(int positions) {
    return new ModelSize(layers, heads, channels, positions, vocabulary);
  }

  /** Returns the channels of a head. */
  int headWidth() {
    return channels / heads;
  }
}
