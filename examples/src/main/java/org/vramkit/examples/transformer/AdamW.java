package org.vramkit.examples.transformer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The constants of AdamW, as GPT-2 is trained with, but for the rate, which suits small models. */
final class AdamW {
  private static final float RATE = 2e-3f;
  private static final float BETA_1 = 0.9f;
  private static final float BETA_2 = 0.95f;
  private static final float EPSILON = 1e-8f;
  private static final float DECAY = 0.1f;
  private static final int FIELDS = 7;

  private AdamW() {}

  /**
   * Returns the struct that the kernel gets by value.
   *
   * @param step the number of the step, from 1
   */
  static ByteBuffer struct(int step, boolean decays) {
    ByteBuffer struct = ByteBuffer.allocate(FIELDS * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    struct.putFloat(RATE).putFloat(BETA_1).putFloat(BETA_2);
    struct.putFloat((float) (1 - Math.pow(BETA_1, step)));
    struct.putFloat((float) (1 - Math.pow(BETA_2, step)));
    struct.putFloat(EPSILON).putFloat(decays ? DECAY : 0);
    return struct.flip();
  }
}
